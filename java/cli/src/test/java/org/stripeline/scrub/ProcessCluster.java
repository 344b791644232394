// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.net.NetUtils;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.testkit.Conditions;

/** A NameNode and DataNodes, each in a process of its own that can be killed or paused. */
final class ProcessCluster implements AutoCloseable {
  /** The rate of each DataNode's fingerprints, so low that a scrub lasts for some seconds. */
  private static final int BYTES_PER_SECOND = 1 << 20;

  private static final int UNITS = 5;
  private static final int REPLICAS = 3;

  private final Path directory;
  private final Configuration conf = new HdfsConfiguration();
  private final BiConsumer<Integer, Configuration> more;
  private final Process[] dataNodes;
  private final List<ScrubProcess> commands = new ArrayList<>();
  private Process nameNode;
  private DistributedFileSystem fs;
  private int starts;

  /**
   * Starts a cluster.
   *
   * @param more adds settings of a DataNode, whose number it gets
   */
  ProcessCluster(Path directory, int nodes, BiConsumer<Integer, Configuration> more)
      throws Exception {
    this.directory = directory;
    this.more = more;
    dataNodes = new Process[nodes];
    Files.createDirectories(directory);
    int port = NetUtils.getFreeSocketPort();
    conf.set("fs.defaultFS", "hdfs://localhost:" + port);
    conf.set("dfs.namenode.rpc-address", "localhost:" + port);
    conf.set("dfs.namenode.http-address", "localhost:0");
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.set("dfs.namenode.name.dir", directory.resolve("name").toUri().toString());
    conf.set("dfs.hosts.exclude", Files.createFile(directory.resolve("exclude")).toString());
    conf.setLong("dfs.namenode.fs-limits.min-block-size", 0);
    conf.setLong("dfs.heartbeat.interval", 1);
    conf.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 20);
    conf.setInt("dfs.namenode.decommission.interval", 1);
    conf.setInt("dfs.namenode.replication.max-streams", 16);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 32);
    conf.setInt("dfs.namenode.safemode.min.datanodes", nodes);
    // Longer than block reports take, so that no block is rebuilt only because it is reported late.
    conf.setInt("dfs.namenode.safemode.extension", 4000);
    conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
    conf.setBoolean("dfs.block.access.token.enable", true);
    // With asynchronous logging, Hadoop 3.4 formats the edit of a new policy for its log after
    // another thread has reset it.
    conf.setBoolean("dfs.namenode.edits.asynclogging", false);
    conf.setInt("dfs.blockreport.initialDelay", 0);
    conf.setInt("dfs.datanode.scan.period.hours", -1);
    conf.setInt("dfs.datanode.directoryscan.interval", -1);
    conf.setInt("ipc.client.connect.retry.interval", 100);
    conf.setInt("dfs.client.retry.window.base", 10);
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    NameNode.format(conf);
    try {
      startNameNode();
      for (int i = 0; i < nodes; i++) {
        startDataNode(i);
      }
      fs = (DistributedFileSystem) FileSystem.get(conf);
      awaitLive(nodes);
    } catch (Exception | AssertionError e) {
      close();
      throw e;
    }
  }

  DistributedFileSystem fs() {
    return fs;
  }

  Configuration conf() {
    return conf;
  }

  /** Returns a directory above all storages. */
  Path storages() {
    return directory.resolve("data");
  }

  Path exclude() {
    return directory.resolve("exclude");
  }

  void startNameNode() throws IOException {
    nameNode = start(ServerMain.NAME_NODE, conf, "namenode" + starts++);
  }

  /** Starts a DataNode, which has the blocks that it had before. */
  void startDataNode(int number) throws IOException {
    Configuration own = new Configuration(conf);
    Path data = storages().resolve("dn" + number);
    own.set(
        "dfs.datanode.data.dir",
        "[DISK]" + data.resolve("disk").toUri() + ",[ARCHIVE]" + data.resolve("archive").toUri());
    for (String server : new String[] {"", "ipc.", "http."}) {
      own.set("dfs.datanode." + server + "address", "localhost:0");
    }
    own.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
    own.setInt("stripeline.agent.scrub.bandwidth", BYTES_PER_SECOND);
    more.accept(number, own);
    String name = "datanode" + number + "-" + starts++;
    dataNodes[number] = start(ServerMain.DATA_NODE, own, name);
  }

  private Process start(String kind, Configuration own, String name) throws IOException {
    return HadoopProcess.launch(ServerMain.class, own, directory.resolve(name), kind);
  }

  /** Waits until as many live DataNodes have room for blocks. */
  void awaitRemaining(int count) {
    Conditions.await(
        count + " DataNodes with room",
        () -> {
          DatanodeInfo[] nodes = live();
          long free = Arrays.stream(nodes).filter(node -> node.getRemaining() > 0).count();
          return nodes.length == dataNodes.length && free == count;
        });
  }

  /** Waits until the NameNode has as many live DataNodes that are in service or leaving it. */
  void awaitLive(int count) {
    Conditions.await(
        count + " live DataNodes",
        () -> {
          try {
            return live().length == count;
          } catch (IOException e) {
            // The NameNode starts.
            return false;
          }
        });
  }

  /** Waits until a NameNode that was started has left its safe mode and knows all DataNodes. */
  void awaitServing() {
    awaitLive(dataNodes.length);
    Conditions.await(
        "the end of the safe mode", () -> !fs.setSafeMode(SafeModeAction.SAFEMODE_GET));
  }

  /** Waits until the NameNode knows a replica of each internal block, and all of other blocks. */
  void awaitLocated(List<String> files) {
    Conditions.await(
        "all replicas of " + files.size() + " files",
        () -> {
          for (String file : files) {
            for (LocatedBlock block :
                fs.getClient().getLocatedBlocks(file, 0, Long.MAX_VALUE).getLocatedBlocks()) {
              if (block.getLocations().length < (block.isStriped() ? UNITS : REPLICAS)) {
                return false;
              }
            }
          }
          return true;
        });
  }

  /** Returns the id of a DataNode. */
  String id(int number) throws IOException {
    Properties version = new Properties();
    try (InputStream in =
        Files.newInputStream(storages().resolve("dn" + number + "/disk/current/VERSION"))) {
      version.load(in);
    }
    return version.getProperty("datanodeUuid");
  }

  DatanodeInfo[] live() throws IOException {
    return fs.getClient().datanodeReport(DatanodeReportType.LIVE);
  }

  void killNameNode() throws InterruptedException {
    kill(nameNode);
  }

  void killDataNode(int number) throws InterruptedException {
    kill(dataNodes[number]);
  }

  void signalDataNode(int number, String name) throws Exception {
    HadoopProcess.signal(dataNodes[number], name);
  }

  /** Sends SIGKILL, and waits for the end. */
  private static void kill(Process process) throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Begins {@code stripeline} in a process of its own. */
  ScrubProcess begin(String... words) throws IOException {
    Path own = directory.resolve("command" + commands.size());
    ScrubProcess command = ScrubProcess.begin(conf, own, words);
    commands.add(command);
    return command;
  }

  /** Runs {@code stripeline} in a process of its own to its end. */
  ScrubProcess run(String... words) throws Exception {
    ScrubProcess command = begin(words);
    command.await();
    return command;
  }

  @Override
  public void close() throws Exception {
    if (fs != null) {
      fs.close();
    }
    for (ScrubProcess command : commands) {
      command.kill();
    }
    for (Process node : dataNodes) {
      if (node != null) {
        kill(node);
      }
    }
    if (nameNode != null) {
      kill(nameNode);
    }
  }

  /** Requires that the processes that should run do so. */
  void assertAlive() {
    assertThat(nameNode.isAlive()).isTrue();
    for (Process node : dataNodes) {
      assertThat(node.isAlive()).isTrue();
    }
  }
}
