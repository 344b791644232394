// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.hdfs.client.BlockReportOptions;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.hdfs.tools.DebugAdmin;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.ToolRunner;
import org.stripeline.convert.job.HdfsConnection;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.settings.DriverKind;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;

/** A mini cluster with racks and small blocks, and drivers for it. */
final class ConvertCluster implements Closeable {
  private static final int QUESTIONS_PER_REPORT = 50;

  static final int BLOCK = 1 << 20;
  private static final StorageType[] DISKS = {StorageType.DISK, StorageType.DISK};

  final MiniDFSCluster mini;
  private final Configuration conf;
  private final URI uri;

  /** A client that fails over to the active NameNode; null if there is only one NameNode. */
  private final DistributedFileSystem failover;

  ConvertCluster(java.nio.file.Path dir, int nodes, int racks, Consumer<Configuration> more)
      throws IOException {
    this(dir, nodes, racks, null, DISKS, more);
  }

  /**
   * Creates eight DataNodes with agents in four racks. Block scanners are disabled, so that only
   * the conversion detects corrupt bytes.
   */
  static ConvertCluster withoutScanners(java.nio.file.Path directory) throws IOException {
    return new ConvertCluster(
        directory.resolve("dfs"),
        8,
        4,
        conf -> {
          conf.set("dfs.datanode.plugins", ContiguousConversionTest.PLUGIN);
          conf.set("hadoop.tmp.dir", directory.resolve("mapred").toString());
          conf.setBoolean("dfs.block.access.token.enable", true);
          conf.setInt("dfs.datanode.scan.period.hours", -1);
          conf.setInt("dfs.datanode.directoryscan.interval", -1);
          conf.setInt("dfs.client.retry.window.base", 10);
        });
  }

  /** Creates a cluster whose DataNodes each have one disk and one archive storage. */
  static ConvertCluster withArchive(
      java.nio.file.Path dir, int nodes, int racks, Consumer<Configuration> more)
      throws IOException {
    StorageType[] storages = {StorageType.DISK, StorageType.ARCHIVE};
    return new ConvertCluster(dir, nodes, racks, null, storages, more);
  }

  /** Creates a cluster with two NameNodes of one nameservice, the first of which is active. */
  static ConvertCluster withStandby(
      java.nio.file.Path dir, int nodes, int racks, Consumer<Configuration> more)
      throws IOException {
    return new ConvertCluster(dir, nodes, racks, MiniDFSNNTopology.simpleHATopology(), DISKS, more);
  }

  /**
   * Creates one DataNode for each of some directories, which is its disk. Each DataNode is in its
   * own rack and has an archive storage as well.
   */
  static ConvertCluster onDirectories(
      java.nio.file.Path dir, List<java.nio.file.Path> data, Consumer<Configuration> more)
      throws IOException {
    ConvertCluster cluster = new ConvertCluster(dir, 0, 1, null, null, more);
    // A cluster that starts without DataNodes sets its default replication from their number.
    cluster.conf.setInt("dfs.replication", 3);
    try {
      for (int i = 0; i < data.size(); i++) {
        java.nio.file.Path archive = dir.resolve("archive" + i);
        cluster.start("[DISK]" + data.get(i).toUri() + ",[ARCHIVE]" + archive.toUri(), "/rack" + i);
      }
      cluster.mini.waitActive();
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private ConvertCluster(
      java.nio.file.Path dir,
      int nodes,
      int racks,
      MiniDFSNNTopology topology,
      StorageType[] storages,
      Consumer<Configuration> more)
      throws IOException {
    conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.setLong("dfs.blocksize", BLOCK);
    conf.setLong("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setLong("dfs.heartbeat.interval", 1);
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    conf.setInt("dfs.namenode.ec.policies.max.cellsize", 256 << 20);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setBoolean("dfs.namenode.acls.enabled", true);
    // With asynchronous logging, Hadoop 3.4 formats the edit of a new policy for its log after
    // another thread has reset it.
    conf.setBoolean("dfs.namenode.edits.asynclogging", false);
    conf.setInt("ipc.client.connect.max.retries", 1);
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    more.accept(conf);
    String[] places = new String[nodes];
    for (int i = 0; i < nodes; i++) {
      places[i] = "/rack" + i % racks;
    }
    mini =
        new MiniDFSCluster.Builder(conf)
            .nnTopology(topology)
            .numDataNodes(nodes)
            .racks(places)
            .storageTypes(storages)
            .build();
    if (topology != null) {
      mini.transitionToActive(0);
      nameBoth();
    }
    mini.waitActive();
    uri = topology == null ? mini.getURI() : FileSystem.getDefaultUri(conf);
    failover = topology == null ? null : client();
  }

  /** Sets the keys that clients and tools need to find the active NameNode. */
  private void nameBoth() {
    HATestUtil.setFailoverConfigurations(mini, conf);
    String name = FileSystem.getDefaultUri(conf).getHost();
    for (int i = 0; i < mini.getNumNameNodes(); i++) {
      conf.set(
          "dfs.namenode.http-address." + name + ".nn" + (i + 1),
          NetUtils.getHostPortString(mini.getNameNode(i).getHttpAddress()));
    }
  }

  URI uri() {
    return uri;
  }

  DistributedFileSystem fs() throws IOException {
    return failover == null ? mini.getFileSystem() : failover;
  }

  Configuration conf() {
    return conf;
  }

  /**
   * Starts another DataNode. Hadoop's mini cluster numbers its directories by the count of running
   * DataNodes, so after a DataNode was stopped, the next one would get the directories of another.
   */
  void addDataNode(java.nio.file.Path data, String rack) throws IOException {
    start("[DISK]" + data.toUri(), rack);
    mini.waitActive();
  }

  private void start(String directories, String rack) throws IOException {
    Configuration own = new Configuration(conf);
    own.set("dfs.datanode.data.dir", directories);
    mini.startDataNodes(own, 1, false, null, new String[] {rack}, null, null);
  }

  /** Opens a client like that of a driver. */
  DistributedFileSystem client() throws IOException {
    return HdfsConnection.open(conf, new Path(uri));
  }

  Driver driver() throws IOException {
    return driver(client(), JobObserver.NONE, StepListener.NONE);
  }

  Driver driver(DistributedFileSystem client, JobObserver observer, StepListener listener) {
    return new Driver(client, JobDirectory.ROOT_DEFAULT, observer, listener);
  }

  static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  byte[] write(String path, int length) throws IOException {
    byte[] bytes = bytes(path.hashCode(), length);
    try (FSDataOutputStream out = fs().create(new Path(path), true, 4096, (short) 3, BLOCK)) {
      out.write(bytes);
    }
    return bytes;
  }

  byte[] read(String path) throws IOException {
    return read(fs(), path);
  }

  static byte[] read(DistributedFileSystem fs, String path) throws IOException {
    byte[] back = new byte[(int) fs.getFileStatus(new Path(path)).getLen()];
    try (FSDataInputStream in = fs.open(new Path(path))) {
      in.readFully(0, back);
    }
    return back;
  }

  String policy(String path) throws IOException {
    return fs().getErasureCodingPolicy(new Path(path)) == null
        ? null
        : fs().getErasureCodingPolicy(new Path(path)).getName();
  }

  static JobSettings striped(String path, String policy) {
    JobSettings settings = new JobSettings();
    settings.path = path;
    settings.policy = policy;
    settings.layout = Layout.STRIPED;
    settings.allowStaleReaders = true;
    settings.cellBytes = 64 << 10;
    return settings;
  }

  static JobSettings contiguous(String path, String policy) {
    JobSettings settings = new JobSettings();
    settings.path = path;
    settings.policy = policy;
    settings.layout = Layout.CONTIGUOUS;
    return settings;
  }

  /** Sets the MapReduce driver. */
  static JobSettings mapped(JobSettings settings) {
    settings.driver = DriverKind.MAPREDUCE;
    return settings;
  }

  static JobSettings undo(String path) {
    JobSettings settings = new JobSettings();
    settings.path = path;
    settings.undo = true;
    return settings;
  }

  /** Returns all temporary files of all jobs. */
  List<String> temporaries() throws IOException {
    List<String> found = new ArrayList<>();
    if (fs().exists(new Path(JobDirectory.ROOT_DEFAULT))) {
      for (FileStatus job : fs().listStatus(new Path(JobDirectory.ROOT_DEFAULT))) {
        Path temporaries = new Path(job.getPath(), "tmp");
        if (fs().exists(temporaries)) {
          for (FileStatus file : fs().listStatus(temporaries)) {
            found.add(file.getPath().toUri().getPath());
          }
        }
      }
    }
    return found;
  }

  /**
   * Counts the replicas with ids of block groups on all DataNodes, whether or not the NameNode has
   * them.
   */
  long internalBlocks() throws IOException {
    String pool = mini.getNameNode(0).getNamesystem().getBlockPoolId();
    long count = 0;
    for (DataNode node : mini.getDataNodes()) {
      for (ReplicaInfo replica : DataNodeTestUtils.getFSDataset(node).getFinalizedBlocks(pool)) {
        count += replica.getBlockId() < 0 ? 1 : 0;
      }
    }
    return count;
  }

  /** Returns the blocks of a file, or its block groups. */
  List<LocatedBlock> blocks(String path) throws IOException {
    return fs().getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks();
  }

  /** Returns whether a DataNode has any block of a file. */
  boolean isOn(String path, DatanodeInfo node) throws IOException {
    for (LocatedBlock block : blocks(path)) {
      if (isOn(block, node)) {
        return true;
      }
    }
    return false;
  }

  static boolean isOn(LocatedBlock block, DatanodeInfo node) {
    return Arrays.stream(block.getLocations())
        .anyMatch(holder -> holder.getDatanodeUuid().equals(node.getDatanodeUuid()));
  }

  /**
   * Returns whether the NameNode has exactly one location for each internal block of a file. The
   * number of locations is not enough: one block may exist twice while another is missing.
   */
  boolean isWhole(String path) throws IOException {
    ErasureCodingPolicy policy = fs().getErasureCodingPolicy(new Path(path));
    for (LocatedBlock group : blocks(path)) {
      long cells = (group.getBlockSize() - 1) / policy.getCellSize() + 1;
      BitSet missing = new BitSet();
      missing.set(0, (int) Math.min(policy.getNumDataUnits(), cells));
      int k = policy.getNumDataUnits();
      missing.set(k, k + policy.getNumParityUnits());
      for (byte index : ((LocatedStripedBlock) group).getBlockIndices()) {
        if (!missing.get(index)) {
          return false;
        }
        missing.clear(index);
      }
      if (!missing.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Triggers full block reports of all DataNodes repeatedly until a condition holds. A NameNode
   * that restarts may miss blocks that DataNodes received while they registered, and would only get
   * them with the next full report, hours later. A NameNode that has become active deletes no
   * excess blocks before such a report.
   */
  void awaitWithReports(String what, Callable<Boolean> condition) throws Exception {
    int[] asked = new int[1];
    await(
        what,
        () -> {
          if (asked[0]++ % QUESTIONS_PER_REPORT == 0) {
            reportAll();
          }
          return condition.call();
        });
  }

  /** Waits until each internal block of a file exists once. */
  void awaitWhole(String path) throws Exception {
    try {
      awaitWithReports("all internal blocks of " + path, () -> isWhole(path));
    } catch (AssertionError e) {
      throw new AssertionError(describe(path), e);
    }
  }

  /**
   * Describes the blocks of a file on the NameNode and on the DataNodes, for messages of failed
   * tests.
   */
  String describe(String path) throws IOException {
    StringBuilder text = new StringBuilder(path);
    for (LocatedBlock group : blocks(path)) {
      byte[] indices = ((LocatedStripedBlock) group).getBlockIndices();
      text.append("\n").append(group).append(", indices ").append(Arrays.toString(indices));
      for (DataNode node : mini.getDataNodes()) {
        String pool = group.getBlock().getBlockPoolId();
        for (ReplicaInfo replica : DataNodeTestUtils.getFSDataset(node).getFinalizedBlocks(pool)) {
          long groupId = replica.getBlockId() & ~(HdfsServerConstants.MAX_BLOCKS_IN_GROUP - 1L);
          if (groupId == group.getBlock().getBlockId()) {
            text.append("\n  ").append(node.getDatanodeId()).append(" has ").append(replica);
          }
        }
      }
    }
    for (DatanodeInfo node : fs().getDataNodeStats()) {
      text.append("\n").append(node).append(" last heard of ").append(node.getLastUpdate());
    }
    for (DataNode node : mini.getDataNodes()) {
      text.append("\n").append(node.getBPServiceActorInfo());
    }
    return text.toString();
  }

  /** Triggers a full block report of every DataNode. */
  void reportAll() throws IOException {
    for (DataNode node : mini.getDataNodes()) {
      node.triggerBlockReport(new BlockReportOptions.Factory().setIncremental(false).build());
    }
  }

  /**
   * Sets the capacity of each disk of a DataNode; -1 for the real one. The next heartbeat reports
   * it.
   */
  void setDiskCapacity(DatanodeInfo node, long bytes) throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes =
        mini.getDataNode(node.getIpcPort()).getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        if (volume.getStorageType() == StorageType.DISK) {
          ((FsVolumeImpl) volume).setCapacityForTesting(bytes);
        }
      }
    }
  }

  /** Reads a file through Hadoop's client and through Stripeline's. */
  void assertBytes(String path, byte[] bytes) throws IOException {
    assertThat(read(path)).as(path).isEqualTo(bytes);
    Configuration ours = new Configuration(conf);
    ours.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(uri, ours)) {
      assertThat(read(fs, path)).as(path).isEqualTo(bytes);
    }
  }

  void assertHealthy(String path) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ToolRunner.run(new DFSck(conf, new PrintStream(out)), new String[] {path});
    assertThat(out.toString()).contains("is HEALTHY");
  }

  /** Checks with Hadoop's own tool that the parity matches the data. */
  void assertParityRight(String path) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out));
    try {
      ToolRunner.run(new DebugAdmin(conf), new String[] {"verifyEC", "-file", path});
    } finally {
      System.setOut(before);
    }
    List<String> groups = new ArrayList<>();
    for (LocatedBlock group : blocks(path)) {
      groups.add(group + Arrays.toString(((LocatedStripedBlock) group).getBlockIndices()));
    }
    assertThat(out.toString()).as("%s", groups).contains("All EC block group status: OK");
  }

  static void await(String what, Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(60)) {
        throw new AssertionError("Waited in vain for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  @Override
  public void close() {
    mini.shutdown(true);
  }
}
