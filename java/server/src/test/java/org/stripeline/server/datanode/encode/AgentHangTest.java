// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.SlowDisk;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentBeans;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.testkit.Conditions;

/** Tests disks that do not answer, or only after a task has ended. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@Tag("full")
class AgentHangTest {
  private static final byte[] DATA = AgentCluster.bytes(3 * AgentCluster.BLOCK - 4_567, 1);

  private final long endNanos = GroupEncoder.endNanos;
  private AgentCluster cluster;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(AgentKeys.STALL_PERIOD, "5s");
    conf.set(AgentKeys.TIMEOUT, "5s");
    cluster = new AgentCluster(dir, conf, "/a", "/a", "/b", "/b", "/b");
    GroupEncoder.endNanos = TimeUnit.SECONDS.toNanos(5);
  }

  @AfterAll
  void stop() {
    GroupEncoder.endNanos = endNanos;
    cluster.close();
  }

  @Test
  void aTaskWhoseDiskHangsEndsEvenIfItIsPolled() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo agent = file.node(0, 0);
    Path meta = cluster.probe(agent).meta(file.source(0).id).toPath();
    Path real = meta.resolveSibling("real");
    Files.move(meta, real);
    // Opening a pipe without a writer blocks, and an interrupt does not end it.
    assertThat(new ProcessBuilder("mkfifo", meta.toString()).start().waitFor()).isZero();
    EncodeRequest request = file.request(agent, file.free(agent)).build();
    long task = cluster.agents().encode(agent, request);
    try {
      long start = System.nanoTime();
      TaskReport report;
      do {
        report = cluster.agents().poll(agent, task, 1_000);
      } while (!report.state.isFinal()
          && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(100));
      assertThat(report.state).isEqualTo(TaskState.FAILED);
      assertThat(report.error).contains("no data has been transferred for");
    } finally {
      cluster.agents().cancel(agent, task);
      // Unblocks all threads that are opening the pipe.
      Files.newOutputStream(meta, StandardOpenOption.WRITE).close();
      Files.move(real, meta, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @Test
  void aLateDiskReleasesItsVolumeWhenItAnswers() throws Exception {
    Adoption file = cluster.adoption(DATA);
    DatanodeInfo agent = file.node(0, 0);
    DatanodeInfo other = file.free(agent).get(0);
    ReplicaProbe probe = cluster.probe(agent);
    List<DatanodeInfo> targets = Arrays.asList(agent, other);
    EncodeRequest request = file.request(agent, targets).build();
    long held = heldBytes(file, agent, other);
    int users = probe.users();
    try (SlowDisk disk = SlowDisk.uninterruptible()) {
      long task = cluster.agents().encode(agent, request);
      String parity = "blk_" + file.internal(AgentCluster.K).id;
      Conditions.await(
          "the agent's own disk to be asked",
          () -> {
            cluster.agents().poll(agent, task, 0);
            return disk.holds(parity);
          });
      cluster.agents().cancel(agent, task);
      assertThat(cluster.await(agent, task).state).isEqualTo(TaskState.CANCELLED);
    }
    Conditions.await("streams to end", () -> AgentCluster.taskThreads().isEmpty());
    Conditions.await("volumes to be let go of", () -> probe.users() <= users);
    Conditions.await(
        "buffers to be given back",
        () -> AgentBeans.number(agent.getDatanodeUuid(), "BufferBytes") <= held);
  }

  /** Returns the bytes of buffers that the agent keeps after a task that succeeded. */
  private long heldBytes(Adoption file, DatanodeInfo agent, DatanodeInfo other) throws Exception {
    EncodeRequest request = file.request(agent, Arrays.asList(agent, other)).build();
    assertThat(cluster.await(agent, cluster.agents().encode(agent, request)).error).isNull();
    for (int i = 0; i < AgentCluster.M; i++) {
      DatanodeInfo node = i == 0 ? agent : other;
      cluster.agents().unlink(node, file.pool(), Arrays.asList(file.internal(AgentCluster.K + i)));
    }
    return AgentBeans.number(agent.getDatanodeUuid(), "BufferBytes");
  }
}
