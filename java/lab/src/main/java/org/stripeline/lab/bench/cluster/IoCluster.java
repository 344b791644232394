// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.AddErasureCodingPolicyResponse;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.stripeline.lab.cluster.ClusterClient;
import org.stripeline.lab.cluster.ClusterOptions;
import org.stripeline.lab.cluster.ClusterProcess;
import org.stripeline.lab.cluster.ClusterStatus;
import org.stripeline.lab.cluster.DataNodeProcess;
import org.stripeline.lab.cluster.ReplicaFiles;

/**
 * The cluster of a run: NameNode and DataNodes in one process, and DataNodes in separate processes
 * if one is to hang or each has its own network.
 */
public final class IoCluster implements BenchHdfs {
  /** The block size, HDFS's default: with six data units a group holds 768 MiB. */
  public static final long BLOCK_BYTES = 128L << 20;

  private static final int HEAP_MIB = 1536;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final long POLL_MILLIS = 25;

  private final ClusterProcess process;
  private final List<DataNodeProcess> outside = new CopyOnWriteArrayList<>();
  private DistributedFileSystem fs;
  private List<String> clientPrefix = Collections.emptyList();

  /** How clients name the NameNode. */
  private String uri;

  private IoCluster(ClusterProcess process) {
    this.process = process;
  }

  /** Starts DataNodes in the cluster's own process, each in its own rack. */
  public static IoCluster start(Path directory, int datanodes, Map<String, String> settings)
      throws IOException {
    return start(directory, datanodes, datanodes, settings);
  }

  /**
   * Starts DataNodes in the cluster's own process.
   *
   * @param racks the number of racks; DataNodes are assigned to them in turn
   * @param settings override the cluster's settings of NameNode and DataNodes
   */
  public static IoCluster start(
      Path directory, int datanodes, int racks, Map<String, String> settings) throws IOException {
    ClusterOptions.Builder options =
        ClusterOptions.builder()
            .datanodes(datanodes)
            .racks(racks)
            .heapMib(HEAP_MIB)
            .lifetime(ClusterOptions.Lifetime.OF_STARTER)
            // Deleted blocks should leave memory before the next file is written ...
            .setting("dfs.namenode.redundancy.interval.seconds", "1s")
            .setting("dfs.namenode.invalidate.work.pct.per.iteration", "1.0")
            // ... and lost blocks should stay lost: reconstruction would compete with the readers.
            .setting("dfs.namenode.replication.max-streams", "0")
            .setting("dfs.namenode.replication.max-streams-hard-limit", "0");
    settings.forEach(options::setting);
    IoCluster cluster = new IoCluster(ClusterProcess.start(directory, options.build()));
    cluster.uri = cluster.status().uri;
    cluster.fs = cluster.open(cluster.clientSettings());
    return cluster;
  }

  @Override
  public Map<String, String> clientSettings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("fs.defaultFS", uri);
    settings.put("dfs.blocksize", String.valueOf(BLOCK_BYTES));
    settings.put("dfs.namenode.fs-limits.min-block-size", "65536");
    // When a file is closed before the NameNode has received the report of its last block, the
    // client retries after this delay. Hadoop's 400 ms would be a large part of the time of a file
    // here.
    settings.put("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "10");
    settings.put("dfs.client.block.write.locateFollowingBlock.retries", "12");
    return settings;
  }

  /** Returns the port of the NameNode, at any address of this process's network. */
  public int nameNodePort() throws IOException {
    return java.net.URI.create(status().uri).getPort();
  }

  /** Returns address and port of the NameNode. */
  public String nameNode() throws IOException {
    return java.net.URI.create(status().uri).getAuthority();
  }

  @Override
  public DistributedFileSystem open(Map<String, String> settings) throws IOException {
    Configuration conf = new HdfsConfiguration();
    settings.forEach(conf::set);
    conf.unset("fs.hdfs.impl");
    return (DistributedFileSystem) FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
  }

  @Override
  public DistributedFileSystem fs() {
    return fs;
  }

  @Override
  public org.apache.hadoop.fs.Path root() {
    return new org.apache.hadoop.fs.Path("/io");
  }

  @Override
  public String absence(org.apache.hadoop.fs.Path directory, String policy, int bytes, int wanted) {
    return null;
  }

  /** Is not limited: the command has checked the disk. */
  @Override
  public long free() {
    return Long.MAX_VALUE;
  }

  /**
   * Makes clients that start from now on run on another host of the network.
   *
   * @param prefix runs the command that follows it on that host
   * @param nameNode the address of the NameNode as seen from there
   */
  void putClients(List<String> prefix, String nameNode) throws IOException {
    clientPrefix = prefix;
    uri = "hdfs://" + nameNode + ":" + nameNodePort();
  }

  @Override
  public List<String> clientPrefix() {
    return clientPrefix;
  }

  @Override
  public List<String> clientArguments() {
    return Collections.emptyList();
  }

  @Override
  public List<Path> clientClassPath() {
    return Collections.emptyList();
  }

  @Override
  public String hadoopVersion() throws IOException {
    return status().hadoopVersion;
  }

  /** Returns a client that controls the NameNode and the DataNodes of the cluster's own process. */
  public ClusterClient client() {
    return process.client();
  }

  public ClusterStatus status() throws IOException {
    return process.client().status();
  }

  @Override
  public List<Long> processes() {
    List<Long> processes = new ArrayList<>();
    processes.add(process.pid());
    outside.forEach(datanode -> processes.add(datanode.pid()));
    return processes;
  }

  /** Adds a DataNode in a separate process and waits until it is registered with the NameNode. */
  public DataNodeProcess add(DataNodeProcess.Place place) throws IOException {
    DataNodeProcess datanode = DataNodeProcess.start(place);
    outside.add(datanode);
    String address = datanode.address();
    try {
      await("DataNode " + address + " to register", () -> hasSpokenSince(address, 0));
    } catch (IOException | RuntimeException e) {
      // A signal may have closed this cluster before the DataNode was in its list.
      datanode.close();
      throw e;
    }
    return datanode;
  }

  /** Waits for a heartbeat of a DataNode that was paused. */
  public void awaitHeartbeat(String address) throws IOException {
    long now = System.currentTimeMillis();
    await("DataNode " + address + " to send heartbeats again", () -> hasSpokenSince(address, now));
  }

  private boolean hasSpokenSince(String address, long millis) {
    try {
      for (DatanodeInfo node : fs.getDataNodeStats(HdfsConstants.DatanodeReportType.LIVE)) {
        if (node.getIpAddr().equals(address) && node.getLastUpdate() > millis) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the number of threads of the cluster's own DataNodes that serve a connection or wait on
   * one.
   */
  public int servingThreads() {
    try {
      double threads = 0;
      for (Map<String, Object> node :
          process.client().metrics("Hadoop:service=DataNode,name=DataNodeInfo*").values()) {
        threads += ((Number) node.get("XceiverCount")).doubleValue();
      }
      return (int) threads;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns address and port of each running DataNode of the cluster's own process, by its name.
   */
  @Override
  public Map<String, String> inside() throws IOException {
    Map<String, String> nodes = new LinkedHashMap<>();
    for (ClusterStatus.DataNodeStatus node : status().datanodes) {
      if (node.running) {
        nodes.put(node.id, node.address);
      }
    }
    return nodes;
  }

  /** Kills a DataNode; the NameNode still reports it to readers for ten minutes. */
  public void kill(String id) throws IOException {
    process.client().stopDataNode(id);
  }

  /** Stops a DataNode permanently: the NameNode places no more blocks on it. */
  void remove(String id) throws IOException {
    process.client().stopAndExpireDataNode(id);
  }

  public void restart(String id) throws IOException {
    process.client().startDataNode(id);
  }

  /**
   * Enables a policy; adds it first if it is not built in.
   *
   * @throws IOException if the NameNode refuses it
   */
  @Override
  public void enable(ErasureCodingPolicy policy) throws IOException {
    if (SystemErasureCodingPolicies.getByName(policy.getName()) == null) {
      for (AddErasureCodingPolicyResponse response :
          fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy})) {
        if (!response.isSucceed() && !response.getErrorMsg().contains("already exists")) {
          throw new IOException(
              "Cannot add policy " + policy.getName() + ": " + response.getErrorMsg());
        }
      }
    }
    fs.enableErasureCodingPolicy(policy.getName());
  }

  /** Deletes files and waits until no DataNode has any of their blocks. */
  @Override
  public void delete(Collection<String> files) throws IOException {
    List<Long> blocks = new ArrayList<>();
    for (String file : files) {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
      if (!fs.exists(path)) {
        continue;
      }
      for (LocatedBlock block :
          fs.getClient().getLocatedBlocks(file, 0, Long.MAX_VALUE).getLocatedBlocks()) {
        int units = block.isStriped() ? block.getLocations().length : 1;
        for (int unit = 0; unit < units; unit++) {
          blocks.add(block.getBlock().getBlockId() + unit);
        }
      }
      fs.delete(path, false);
    }
    List<Path> disks = disks();
    await(
        "the files of deleted blocks to be removed from the disks",
        () -> !holdAnyOf(disks, blocks));
  }

  private static boolean holdAnyOf(List<Path> disks, List<Long> blocks) {
    try {
      return ReplicaFiles.find(disks).holdsAnyOf(blocks);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the directories in which the DataNodes store their blocks. */
  public List<Path> disks() throws IOException {
    List<Path> disks = new ArrayList<>();
    for (ClusterStatus.DataNodeStatus node : status().datanodes) {
      disks.add(Paths.get(node.directory));
    }
    outside.forEach(datanode -> disks.add(datanode.directory()));
    return disks;
  }

  /**
   * Waits until a condition holds.
   *
   * @param what completes "waited 90 s for"
   * @throws IOException if it takes longer than that
   */
  public static void await(String what, BooleanSupplier condition) throws IOException {
    long started = System.nanoTime();
    try {
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - started > WAIT_NANOS) {
          throw new IOException(
              "Cannot continue: waited "
                  + TimeUnit.NANOSECONDS.toSeconds(WAIT_NANOS)
                  + " s for "
                  + what);
        }
        Thread.sleep(POLL_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for " + what + ": interrupted", e);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      for (DataNodeProcess datanode : outside) {
        datanode.close();
      }
      if (fs != null) {
        fs.close();
      }
    } finally {
      process.stop();
    }
  }
}
