// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.Linked;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentBeans;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.testkit.Conditions;

/** Tests volumes without hard links, full disks, and DataNodes without an agent. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentDiskTest {
  private static final int BLOCK = AgentCluster.BLOCK;
  private static final byte[] DATA = AgentCluster.bytes(2 * BLOCK + 3, 1);

  private final List<Path> mounted = new ArrayList<>();
  private AgentCluster cluster;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setBoolean(AgentKeys.HARD_LINKS_ENABLED, false);
    cluster = new AgentCluster(dir, conf, "/a", "/a", "/b", "/b", "/b");
  }

  @AfterEach
  void unmount() throws Exception {
    for (Path path : mounted) {
      assertThat(run("umount", "--lazy", path.toString())).isTrue();
    }
    mounted.clear();
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  void replicasThatCannotBeLinkedAreCopiedAndCounted() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    long copies = AgentBeans.sum(AgentCount.COPIES);
    List<Linked> linked = cluster.agents().link(node, file.pool(), Arrays.asList(file.link(0)));
    assertThat(linked.get(0).copied).isTrue();
    assertThat(AgentBeans.sum(AgentCount.COPIES) - copies).isEqualTo(1);
    ReplicaProbe probe = cluster.probe(node);
    assertThat(probe.names(file.internal(0).id)).isEqualTo(1);
    assertThat(probe.file(file.internal(0).id).toPath())
        .hasSameBinaryContentAs(probe.file(file.source(0).id).toPath());
    assertThat(probe.held().temporary).isEmpty();
    Conditions.await("the NameNode to be told", () -> cluster.reported(file) == 1);
  }

  @Test
  void aCopyOfACorruptReplicaIsNotKept() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(1, 0);
    ReplicaProbe probe = cluster.probe(node);
    String before = probe.held().toString();
    AgentFailureTest.flip(probe.file(file.source(1).id), 1_000);
    refused(
        AgentException.Kind.CORRUPT,
        "wrong checksum",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList(file.link(1))));
    Conditions.await("the copy to be gone", () -> probe.held().toString().equals(before));
    assertThat(cluster.reported(file)).isZero();
  }

  @Test
  void aCopyForWhichThereIsNoRoomLeavesNothing() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo node = file.node(0, 0);
    ReplicaProbe probe = cluster.probe(node);
    String before = probe.held().toString();
    long blocks = probe.held().blocks;
    fill(probe);
    refused(
        AgentException.Kind.FAILED,
        "No space left",
        () -> cluster.agents().link(node, file.pool(), Arrays.asList(file.link(0))));
    assertThat(probe.held().toString()).isEqualTo(before);
    assertThat(probe.held().blocks).isEqualTo(blocks);
    assertThat(probe.names(file.source(0).id)).isEqualTo(1);
  }

  @Test
  void aTargetWithoutRoomMakesEncodingFail() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo agent = file.node(0, 0);
    List<DatanodeInfo> targets = file.free(agent);
    Map<String, String> before = cluster.held();
    fill(cluster.probe(targets.get(1)));
    EncodeRequest request = file.request(agent, targets).build();
    TaskReport report = cluster.await(agent, cluster.agents().encode(agent, request));
    assertThat(report.state).isEqualTo(TaskState.FAILED);
    assertThat(report.error).contains("at " + targets.get(1).getXferAddr());
    cluster.awaitHeld(before);
  }

  @Test
  void aTargetWithoutAnAgentMakesEncodingFail() throws Exception {
    Configuration plain = new Configuration(cluster.mini().getConfiguration(0));
    plain.unset("dfs.datanode.plugins");
    int count = cluster.mini().getDataNodes().size();
    cluster.mini().startDataNodes(plain, 1, true, null, new String[] {"/c"});
    cluster.mini().waitActive();
    DatanodeInfo bare =
        Arrays.stream(cluster.nodes())
            .filter(node -> node.getNetworkLocation().equals("/c"))
            .findFirst()
            .get();
    try {
      refused(
          AgentException.Kind.NO_AGENT,
          "dfs.datanode.plugins",
          () -> cluster.agents().describe(bare));
      Adoption file = cluster.adoption(DATA);
      DatanodeInfo agent =
          Arrays.stream(file.blocks.get(0).getLocations())
              .filter(node -> !node.equals(bare))
              .findFirst()
              .get();
      List<DatanodeInfo> free = file.free(agent);
      free.remove(bare);
      EncodeRequest request = file.request(agent, Arrays.asList(bare, free.get(0))).build();
      TaskReport report = cluster.await(agent, cluster.agents().encode(agent, request));
      assertThat(report.state).isEqualTo(TaskState.FAILED);
      assertThat(report.error)
          .contains("Cannot connect to " + file.internal(3))
          .contains("dfs.datanode.plugins")
          .doesNotContain("could not be removed");
      assertThat(cluster.probe(free.get(0)).state(file.internal(4).id)).isNull();
    } finally {
      cluster.mini().stopDataNode(count);
      cluster.mini().setDataNodeDead(bare);
    }
  }

  /** Mounts small file systems on a DataNode's directories for temporary replicas. */
  private void fill(ReplicaProbe probe) throws Exception {
    for (Path tmp : probe.temporaryDirectories()) {
      String size = "size=" + BLOCK / 2;
      assumeTrue(
          run("mount", "-t", "tmpfs", "-o", size, "tmpfs", tmp.toString()),
          "a full disk takes mount, which takes root");
      mounted.add(tmp);
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor() == 0;
  }
}
