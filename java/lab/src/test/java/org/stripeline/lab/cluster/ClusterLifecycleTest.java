// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicyState;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.cluster.ClusterStatus.DataNodeStatus;
import org.stripeline.testkit.CommandRun;

/** One cluster from its first start to its last stop, with every command. */
@Timeout(180)
class ClusterLifecycleTest {
  private static final int DATA_BYTES = 3 * (3 << 20) + 12_345;

  @TempDir Path temporary;

  @Test
  void filesSurviveRestartsAndLostDataNodes() throws Exception {
    Path directory = temporary.resolve("cluster");
    byte[] content = new byte[DATA_BYTES];
    new Random(5).nextBytes(content);
    ClusterOptions options =
        ClusterOptions.builder()
            .datanodes(5)
            .racks(Arrays.asList("/east/a", "/east/b"))
            .lifetime(ClusterOptions.Lifetime.OF_STARTER)
            // A silent DataNode is dead only after a longer time than most machines run, as with
            // Hadoop's default on a machine that has just started, and the NameNode does not check.
            .setting("dfs.namenode.heartbeat.recheck-interval", String.valueOf(Integer.MAX_VALUE))
            .build();

    ClusterProcess first = ClusterProcess.start(directory, options);
    ClusterStatus status;
    try {
      status = first.client().status();
      assertThat(first.origin()).isEqualTo(ClusterProcess.Origin.STARTED);
      assertThat(status.running).isTrue();
      assertThat(status.safeMode).isFalse();
      assertThat(status.datanodes).extracting(d -> d.id).containsExactly(ids(5));
      assertThat(status.datanodes).allMatch(d -> d.running && d.live);
      assertThat(status.datanodes)
          .extracting(d -> d.rack)
          .containsExactly("/east/a", "/east/b", "/east/a", "/east/b", "/east/a");
      writeStriped(first, content);
      assertThat(racksOfData(first)).containsExactlyInAnyOrder("/east/a", "/east/b");

      refusesOthers(directory, options);
      readsThroughOurPipelines(status, content);
      choosePolicies(first);
      obeysCommands(directory, first, content);
    } finally {
      first.stop();
    }
    assertGone(status);

    ClusterProcess second =
        ClusterProcess.start(
            directory,
            ClusterOptions.builder().lifetime(ClusterOptions.Lifetime.OF_STARTER).build());
    try {
      ClusterStatus again = second.client().status();
      assertThat(again.uri).isEqualTo(status.uri);
      assertThat(again.web).isEqualTo(status.web);
      assertThat(again.datanodes).extracting(d -> d.id).containsExactly(ids(6));
      assertThat(again.datanodes.get(0).uuid).isEqualTo(status.datanodes.get(0).uuid);
      assertThat(read(second)).isEqualTo(content);
      keptPolicies(second);
      killHard(second);
    } finally {
      second.stop();
    }
    assertThat(ClusterProcess.find(directory)).isEmpty();
    assertThat(ClusterProcess.status(directory).running).isFalse();

    // The killed process left its state file and its NameNode storage open; neither prevents a
    // start.
    ClusterProcess third =
        ClusterProcess.start(
            directory,
            ClusterOptions.builder().lifetime(ClusterOptions.Lifetime.OF_STARTER).build());
    try {
      assertThat(third.origin()).isEqualTo(ClusterProcess.Origin.STARTED);
      assertThat(read(third)).isEqualTo(content);
    } finally {
      third.stop();
    }
  }

  private static void refusesOthers(Path directory, ClusterOptions options) throws Exception {
    ClusterProcess found = ClusterProcess.start(directory, options);
    assertThat(found.origin()).isEqualTo(ClusterProcess.Origin.FOUND);
    ClusterOptions other = ClusterOptions.builder().datanodes(7).build();
    assertThatThrownBy(() -> ClusterProcess.start(directory, other))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("with DataNodes 5, not 7")
        .hasMessageContaining("cluster stop");
  }

  /** Reads with the second configuration directory, which differs only in the pipelines. */
  private static void readsThroughOurPipelines(ClusterStatus status, byte[] content)
      throws Exception {
    Configuration conf = new Configuration();
    for (String site : new String[] {"core-site.xml", "hdfs-site.xml"}) {
      conf.addResource(new org.apache.hadoop.fs.Path(status.stripelineConfiguration, site));
    }
    assertThat(conf.get("fs.AbstractFileSystem.hdfs.impl")).endsWith(".StripelineHdfs");
    byte[] read = new byte[DATA_BYTES];
    try (FileSystem files = FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
        FSDataInputStream in = files.open(new org.apache.hadoop.fs.Path("/striped/file"))) {
      assertThat(in.getWrappedStream().getClass().getSimpleName())
          .isEqualTo("StripelineInputStream");
      in.readFully(0, read);
    }
    assertThat(read).isEqualTo(content);
  }

  /** Returns what a command prints. */
  private static String run(String command, Path directory, String... arguments) {
    List<String> words = new ArrayList<>(List.of("cluster", command, "--dir=" + directory));
    words.addAll(List.of(arguments));
    return CommandRun.of(LabMain.commandLine(), words).said();
  }

  /** Returns what Hadoop's own report calls dead. */
  private static List<String> reportedDead(ClusterProcess cluster) throws Exception {
    try (DistributedFileSystem files = files(cluster)) {
      return Arrays.stream(files.getDataNodeStats(DatanodeReportType.DEAD))
          .map(DatanodeInfo::getDatanodeUuid)
          .collect(Collectors.toList());
    }
  }

  private static void obeysCommands(Path directory, ClusterProcess cluster, byte[] content)
      throws Exception {
    ClusterClient client = cluster.client();
    assertThat(client.cpuSeconds()).isPositive();
    Map<String, Map<String, Object>> beans =
        client.metrics("Hadoop:service=NameNode,name=FSNamesystem");
    assertThat(beans).hasSize(1);
    assertThat(beans.values().iterator().next()).containsKey("MissingBlocks");
    assertThatThrownBy(() -> client.metrics("not a name")).isInstanceOf(ClusterException.class);

    client.set("io.erasurecode.codec.rs.rawcoders", "rs_java");
    // RS-3-2 survives the loss of any two DataNodes.
    client.stopDataNode("dn2");
    assertThat(run("stop-datanode", directory, "--expire", "dn4")).isEmpty();
    assertThat(run("status", directory))
        .containsPattern("dn1 +live ")
        .containsPattern("dn2 +lost ")
        .containsPattern("dn4 +dead ");
    assertThat(reportedDead(cluster)).containsExactly(client.status().datanodes.get(3).uuid);
    assertThat(read(cluster)).isEqualTo(content);
    assertThatThrownBy(() -> client.stopDataNode("dn2"))
        .hasMessageContaining("dn2: it is stopped already");
    assertThat(run("stop-datanode", directory, "--expire", "dn2")).isEmpty();
    assertThat(run("status", directory)).containsPattern("dn2 +dead ");
    assertThatThrownBy(() -> client.expireDataNode("dn1"))
        .hasMessage("Cannot expire DataNode dn1: it runs");
    assertThatThrownBy(() -> client.startDataNode("dn9"))
        .hasMessageContaining("Cannot find DataNode 'dn9': the cluster has dn1 to dn5");
    client.startDataNode("dn2");
    assertThat(client.addDataNode()).isEqualTo("dn6");
    ClusterStatus status = client.status();
    assertThat(status.datanodes.get(1).running).isTrue();
    assertThat(status.datanodes.get(1).live).isTrue();
    assertThat(status.datanodes.get(3).running).isFalse();
    assertThat(status.datanodes.get(5).live).isTrue();
  }

  private static void writeStriped(ClusterProcess cluster, byte[] content) throws Exception {
    try (DistributedFileSystem files = files(cluster)) {
      org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path("/striped");
      files.mkdirs(directory);
      files.setErasureCodingPolicy(directory, "RS-3-2-1024k");
      try (OutputStream out = files.create(new org.apache.hadoop.fs.Path(directory, "file"))) {
        out.write(content);
      }
    }
  }

  /** A new cluster has all policies; disables one, and adds two, one of which is then removed. */
  private static void choosePolicies(ClusterProcess cluster) throws Exception {
    assertThat(policies(cluster))
        .hasSize(5)
        .allSatisfy((n, state) -> assertThat(state).isEqualTo(ErasureCodingPolicyState.ENABLED));
    try (DistributedFileSystem files = files(cluster)) {
      files.disableErasureCodingPolicy("XOR-2-1-1024k");
      files.addErasureCodingPolicies(
          new ErasureCodingPolicy[] {
            new ErasureCodingPolicy(new ECSchema("rs", 2, 1), 64 << 10),
            new ErasureCodingPolicy(new ECSchema("rs", 4, 2), 64 << 10)
          });
      files.removeErasureCodingPolicy("RS-4-2-64k");
    }
  }

  private static void keptPolicies(ClusterProcess cluster) throws Exception {
    assertThat(policies(cluster))
        .containsEntry("RS-3-2-1024k", ErasureCodingPolicyState.ENABLED)
        .containsEntry("XOR-2-1-1024k", ErasureCodingPolicyState.DISABLED)
        .containsEntry("RS-2-1-64k", ErasureCodingPolicyState.DISABLED)
        .containsEntry("RS-4-2-64k", ErasureCodingPolicyState.REMOVED);
  }

  private static Map<String, ErasureCodingPolicyState> policies(ClusterProcess cluster)
      throws Exception {
    try (DistributedFileSystem files = files(cluster)) {
      return files.getAllErasureCodingPolicies().stream()
          .collect(
              Collectors.toMap(
                  info -> info.getPolicy().getName(), ErasureCodingPolicyInfo::getState));
    }
  }

  private static byte[] read(ClusterProcess cluster) throws Exception {
    byte[] content = new byte[DATA_BYTES];
    try (DistributedFileSystem files = files(cluster);
        InputStream in = files.open(new org.apache.hadoop.fs.Path("/striped/file"))) {
      IOUtils.readFully(in, content, 0, content.length);
      assertThat(in.read()).isEqualTo(-1);
    }
    return content;
  }

  private static Set<String> racksOfData(ClusterProcess cluster) throws Exception {
    Set<String> racks = new LinkedHashSet<>();
    try (DistributedFileSystem files = files(cluster)) {
      BlockLocation[] locations =
          files.getFileBlockLocations(
              new org.apache.hadoop.fs.Path("/striped/file"), 0, DATA_BYTES);
      for (String path : locations[0].getTopologyPaths()) {
        racks.add(path.substring(0, path.lastIndexOf('/')));
      }
    }
    return racks;
  }

  /** Returns a client that uses only the configuration directory that the cluster wrote. */
  static DistributedFileSystem files(ClusterProcess cluster) throws Exception {
    Configuration conf = new Configuration();
    for (String site : new String[] {"core-site.xml", "hdfs-site.xml"}) {
      conf.addResource(
          new org.apache.hadoop.fs.Path(cluster.clientConfiguration().resolve(site).toUri()));
    }
    // This JVM may still hold a connection to the stopped NameNode, and detects that only when it
    // uses the connection.
    conf.setBoolean("dfs.client.retry.policy.enabled", true);
    conf.set("dfs.client.retry.policy.spec", "200,20");
    DistributedFileSystem files = new DistributedFileSystem();
    files.initialize(URI.create(conf.get("fs.defaultFS")), conf);
    return files;
  }

  private static void killHard(ClusterProcess cluster) throws Exception {
    new ProcessBuilder("kill", "-KILL", Long.toString(cluster.pid())).start().waitFor();
  }

  private static void assertGone(ClusterStatus status) throws Exception {
    // This JVM still has to collect the exit status of its ended child.
    while (Files.exists(Path.of("/proc", Long.toString(status.pid)))) {
      Thread.sleep(20);
    }
    Set<String> addresses =
        status.datanodes.stream().map((DataNodeStatus d) -> d.address).collect(Collectors.toSet());
    addresses.add(URI.create(status.uri).getAuthority());
    addresses.add(URI.create(status.web).getAuthority());
    for (String address : addresses) {
      String[] parts = address.split(":");
      assertThatThrownBy(() -> new Socket(parts[0], Integer.parseInt(parts[1])).close())
          .as(address)
          .isInstanceOf(ConnectException.class);
    }
  }

  private static String[] ids(int count) {
    String[] ids = new String[count];
    for (int number = 1; number <= count; number++) {
      ids[number - 1] = "dn" + number;
    }
    return ids;
  }
}
