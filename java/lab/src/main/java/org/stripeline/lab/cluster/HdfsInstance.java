// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.Time;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.lab.cluster.ClusterDirectory.Description;
import org.stripeline.lab.cluster.ClusterStatus.DataNodeStatus;

/**
 * A NameNode and its DataNodes in this process: Hadoop's own classes, started in the same way as by
 * their main methods.
 *
 * <p>Hadoop's MiniDFSCluster is not suitable: it deletes its directory when the process ends, even
 * after a failed start, but here the directory belongs to the user.
 */
final class HdfsInstance implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HdfsInstance.class);

  private static final long READY_TIMEOUT_MS = 120_000;

  /** Longer than the period after which a NameNode can consider a silent DataNode dead. */
  private static final long LONG_AGO_MS = TimeUnit.DAYS.toMillis(365);

  private final ClusterDirectory directory;
  private final Description description;
  private final Configuration conf;

  /** Running DataNodes by number; stopped ones have no entry. */
  private final Map<Integer, DataNode> datanodes = new TreeMap<>();

  /** Hadoop's identifiers of DataNodes by number, including stopped ones. */
  private final Map<Integer, String> uuids = new TreeMap<>();

  private NameNode namenode;

  private HdfsInstance(ClusterDirectory directory, Description description, Configuration conf) {
    this.directory = directory;
    this.description = description;
    this.conf = conf;
  }

  /** Starts everything and waits until every DataNode has reported its blocks. */
  static HdfsInstance start(ClusterDirectory directory, ClusterPlan plan) throws IOException {
    Description kept = directory.readDescription();
    Description description = plan.settle(kept);
    Configuration conf = HdfsSettings.server(directory, description, plan);
    // Allows several DataNodes in one process to register metrics of the same name.
    DefaultMetricsSystem.setMiniClusterMode(true);

    if (kept == null) {
      // From now on the directory is recognized as that of a cluster, even if this start fails.
      directory.writeDescription(description.withFreePorts());
    }
    HdfsInstance instance = new HdfsInstance(directory, description, conf);
    try {
      instance.startNameNode();
      for (int number = 1; number <= description.datanodes; number++) {
        instance.startDataNode(number);
      }
      instance.awaitReady();
      if (kept == null || !kept.hasStarted()) {
        instance.enablePolicies();
      }
      directory.writeDescription(description);
      HdfsSettings.writeClientConfiguration(directory.conf(), conf, new String[0][]);
      HdfsSettings.writeClientConfiguration(
          directory.confStripeline(), conf, HdfsSettings.PIPELINES);
      return instance;
    } catch (IOException | RuntimeException e) {
      instance.close();
      throw e;
    }
  }

  private void startNameNode() throws IOException {
    Path name = directory.name();
    // Formatting deletes all data, so only a directory without any storage is formatted.
    if (!Files.exists(name.resolve("current"))) {
      if (Files.exists(directory.data(1))) {
        throw new ClusterException(
            "Cannot start cluster: "
                + directory.root().resolve("data")
                + " holds blocks but "
                + name
                + " holds no NameNode storage");
      }
      Files.createDirectories(name);
      NameNode.format(conf);
    }
    try {
      namenode = NameNode.createNameNode(new String[0], conf);
    } catch (BindException e) {
      throw portTaken(e);
    } catch (IOException e) {
      if (e.getCause() instanceof BindException) {
        throw portTaken(e);
      }
      throw e;
    }
    description.port = namenode.getNameNodeAddress().getPort();
    description.webPort = namenode.getHttpAddress().getPort();
    HdfsSettings.setNameNodeAddress(conf, description.port, description.webPort);
  }

  private ClusterException portTaken(IOException cause) {
    return new ClusterException(
        "Cannot start cluster: port "
            + description.port
            + " or web port "
            + description.webPort
            + " of 127.0.0.1 is in use; name others with --port and --web-port ("
            + firstLine(cause)
            + ")",
        cause);
  }

  private static String firstLine(Throwable cause) {
    return String.valueOf(cause.getMessage()).split("\n", 2)[0];
  }

  private void startDataNode(int number) throws IOException {
    Files.createDirectories(directory.data(number));
    DataNode datanode =
        DataNode.createDataNode(new String[0], HdfsSettings.datanode(conf, directory, number));
    if (datanode == null) {
      throw new ClusterException("Cannot start DataNode dn" + number + ": see the log");
    }
    datanodes.put(number, datanode);
  }

  private void awaitReady() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READY_TIMEOUT_MS);
    while (namenode.isInSafeMode() || !allReported()) {
      if (System.nanoTime() - deadline > 0) {
        throw new ClusterException(
            "Cannot start cluster: after "
                + READY_TIMEOUT_MS / 1000
                + " s "
                + (namenode.isInSafeMode()
                    ? "the NameNode still waits for blocks: " + namenode.getState()
                    : "not all DataNodes have reported their blocks"));
      }
      pause();
    }
  }

  private boolean allReported() {
    for (Map.Entry<Integer, DataNode> entry : datanodes.entrySet()) {
      DatanodeDescriptor descriptor = descriptor(entry.getValue().getDatanodeUuid());
      if (descriptor == null || !descriptor.isAlive() || !descriptor.checkBlockReportReceived()) {
        return false;
      }
      uuids.put(entry.getKey(), entry.getValue().getDatanodeUuid());
    }
    return true;
  }

  private DatanodeDescriptor descriptor(String uuid) {
    return uuid == null ? null : datanodeManager().getDatanode(uuid);
  }

  private DatanodeManager datanodeManager() {
    return namenode.getNamesystem().getBlockManager().getDatanodeManager();
  }

  /** Enables the built-in policies of a new cluster; later ones are the user's choice. */
  private void enablePolicies() throws IOException {
    for (ErasureCodingPolicyInfo info : namenode.getRpcServer().getErasureCodingPolicies()) {
      if (!info.isEnabled()) {
        namenode.getRpcServer().enableErasureCodingPolicy(info.getPolicy().getName());
      }
    }
  }

  /** Stops one DataNode; with {@code expire} the NameNode considers it dead immediately. */
  synchronized void stopDataNode(String id, boolean expire) throws IOException {
    int number = number(id);
    DataNode datanode = datanodes.remove(number);
    if (datanode == null) {
      throw new ClusterException("Cannot stop DataNode " + id + ": it is stopped already");
    }
    datanode.shutdown();
    LOG.info("stopped DataNode {}", id);
    if (expire) {
      expireDataNode(id);
    }
  }

  /** Makes the NameNode consider a stopped DataNode dead. */
  synchronized void expireDataNode(String id) throws IOException {
    int number = number(id);
    if (datanodes.containsKey(number)) {
      throw new ClusterException("Cannot expire DataNode " + id + ": it runs");
    }
    DatanodeDescriptor descriptor = descriptor(uuids.get(number));
    if (descriptor != null && descriptor.isAlive()) {
      // Reports of the NameNode compare these times. Monotonic time begins with the machine, so 0
      // would be recent on one that has just started.
      descriptor.setLastUpdate(0);
      descriptor.setLastUpdateMonotonic(Time.monotonicNow() - LONG_AGO_MS);
      // The next check of heartbeats would do the same, but by default is up to 5 minutes away.
      datanodeManager().removeDatanode(descriptor);
    }
  }

  /** Starts a stopped DataNode with its blocks, and waits for its block report. */
  synchronized void restartDataNode(String id) throws IOException {
    int number = number(id);
    if (datanodes.containsKey(number)) {
      throw new ClusterException("Cannot start DataNode " + id + ": it runs already");
    }
    startDataNode(number);
    awaitReady();
    LOG.info("started DataNode {}", id);
  }

  /** Adds an empty DataNode and returns its name. */
  synchronized String addDataNode() throws IOException {
    int number = description.datanodes + 1;
    if (number > ClusterOptions.DATANODES_MAX) {
      throw new ClusterException(
          "Cannot add DataNode: the cluster has " + description.datanodes + ", the most allowed");
    }
    startDataNode(number);
    description.datanodes = number;
    directory.writeDescription(description);
    awaitReady();
    LOG.info("added DataNode dn{}", number);
    return "dn" + number;
  }

  /** Sets a key in the live configuration of all DataNodes, and of those started later. */
  synchronized void set(String key, String value) {
    conf.set(key, value);
    for (DataNode datanode : datanodes.values()) {
      datanode.getConf().set(key, value);
    }
    LOG.info("set {}={} on all DataNodes", key, value);
  }

  synchronized ClusterStatus status() {
    ClusterStatus status = new ClusterStatus();
    status.running = true;
    status.directory = directory.root().toString();
    status.uri = conf.get("fs.defaultFS");
    status.web = "http://" + conf.get("dfs.namenode.http-address");
    status.clientConfiguration = directory.conf().toString();
    status.stripelineConfiguration = directory.confStripeline().toString();
    status.log = directory.log().toString();
    status.hadoopVersion = VersionInfo.getVersion();
    status.javaVersion = System.getProperty("java.version");
    status.safeMode = namenode.isInSafeMode();
    for (int number = 1; number <= description.datanodes; number++) {
      status.datanodes.add(datanodeStatus(number));
    }
    return status;
  }

  private DataNodeStatus datanodeStatus(int number) {
    DataNodeStatus status = new DataNodeStatus();
    DataNode datanode = datanodes.get(number);
    DatanodeDescriptor descriptor = descriptor(uuids.get(number));
    status.id = "dn" + number;
    status.running = datanode != null;
    status.uuid = uuids.get(number);
    status.rack = RackTable.rack(description.racks, number);
    status.directory = directory.data(number).toString();
    if (datanode != null) {
      status.address =
          datanode.getXferAddress().getAddress().getHostAddress() + ":" + datanode.getXferPort();
    }
    if (descriptor != null) {
      status.live = descriptor.isAlive();
      status.blocks = descriptor.numBlocks();
    }
    return status;
  }

  private int number(String id) throws ClusterException {
    for (int number = 1; number <= description.datanodes; number++) {
      if (id.equals("dn" + number)) {
        return number;
      }
    }
    throw new ClusterException(
        "Cannot find DataNode '" + id + "': the cluster has dn1 to dn" + description.datanodes);
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("Cannot wait for cluster: interrupted", e);
    }
  }

  /** Stops the DataNodes in parallel, then the NameNode. */
  @Override
  public synchronized void close() {
    List<Thread> stopping = new ArrayList<>();
    for (Map.Entry<Integer, DataNode> entry : datanodes.entrySet()) {
      Thread thread = new Thread(entry.getValue()::shutdown, "stop-dn" + entry.getKey());
      thread.start();
      stopping.add(thread);
    }
    for (Thread thread : stopping) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    datanodes.clear();
    if (namenode != null) {
      namenode.stop();
      namenode.join();
      namenode = null;
    }
  }
}
