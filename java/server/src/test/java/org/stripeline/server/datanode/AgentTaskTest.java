// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentLinkTest.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentCluster.Adoption;

/** Tests the life cycle of tasks: queueing, rates, progress, cancellation and expiry of results. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AgentTaskTest {
  private static final int BLOCK = AgentCluster.BLOCK;
  private static final byte[] DATA = AgentCluster.bytes(3 * BLOCK - 4_567, 1);
  private static final int QUEUE = 2;

  private AgentCluster cluster;
  private Adoption file;
  private DatanodeInfo agent;
  private List<DatanodeInfo> targets;
  private Map<String, String> before;

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt(AgentKeys.TASKS, 1);
    conf.setInt(AgentKeys.QUEUE, QUEUE);
    conf.set(AgentKeys.ABANDON_PERIOD, "2s");
    conf.set(AgentKeys.RESULT_PERIOD, "2s");
    cluster = new AgentCluster(dir, conf, "/a", "/a", "/b", "/b", "/b");
  }

  @BeforeEach
  void write() throws Exception {
    file = cluster.adoption(DATA);
    agent = file.node(0, 0);
    targets = file.free(agent);
    before = cluster.held();
  }

  @AfterAll
  void stop() throws Exception {
    cluster.close();
    assertThat(AgentBeans.all()).isEmpty();
  }

  /** Returns a request that takes about a minute. */
  private EncodeRequest slow() {
    return file.request(agent, targets).bytesPerSecond(20_000).build();
  }

  @Test
  void keepsToItsRateAndSaysHowFarItIs() throws Exception {
    long rate = 1_000_000;
    EncodeRequest request = file.request(agent, targets).bytesPerSecond(rate).build();
    long task = cluster.agents().encode(agent, request);
    long last = 0;
    boolean between = false;
    TaskReport report;
    do {
      report = cluster.agents().poll(agent, task, 20);
      assertThat(report.bytesDone).isBetween(last, report.bytesTotal);
      last = report.bytesDone;
      between |= last > 0 && last < report.bytesTotal;
    } while (!report.state.isFinal());
    assertThat(report.state).isEqualTo(TaskState.DONE);
    assertThat(between).as("progress was seen in between").isTrue();
    // The throttler lets the bytes of half a second pass at once.
    assertThat(report.result.seconds).isGreaterThan((double) report.bytesTotal / rate - 0.6);
    for (int i = 0; i < AgentCluster.M; i++) {
      AgentBlock parity = file.internal(AgentCluster.K + i);
      assertThat(cluster.agents().checksum(targets.get(i), file.pool(), parity).crc32c)
          .isEqualTo(report.result.written.get(i).crc32c);
    }
  }

  @Test
  void aTicketThatIsCancelledBeginsNothingLater() throws Exception {
    String ticket = UUID.randomUUID().toString();
    long task = cluster.agents().encode(agent, ticket + "-0", slow());
    assertThat(cluster.agents().cancel(agent, ticket)).containsExactly(task);
    assertThat(cluster.await(agent, task).state).isEqualTo(TaskState.CANCELLED);
    refused(
        AgentException.Kind.FAILED,
        "was cancelled before it came",
        () -> cluster.agents().encode(agent, ticket + "-1", slow()));
    assertThat(cluster.agents().cancel(agent, "no such ticket")).isEmpty();
    refused(
        AgentException.Kind.BAD_REQUEST,
        "an empty ticket",
        () -> cluster.agents().cancel(agent, ""));
    cluster.awaitHeld(before);
  }

  @Test
  void cancellingLeavesNothing() throws Exception {
    long task = cluster.agents().encode(agent, slow());
    Conditions.await(
        "some bytes to be sent",
        () -> !targets.isEmpty() && isBegun(targets.get(0)) && isBegun(targets.get(1)));
    cluster.agents().cancel(agent, task);
    TaskReport report = cluster.await(agent, task);
    assertThat(report.state).isEqualTo(TaskState.CANCELLED);
    assertThat(report.error).isEqualTo("cancelled");
    cluster.awaitHeld(before);
    cluster.agents().cancel(agent, task);
    // A cancelled request can be repeated.
    EncodeRequest again = file.request(agent, targets).build();
    assertThat(cluster.await(agent, cluster.agents().encode(agent, again)).error).isNull();
  }

  private boolean isBegun(DatanodeInfo target) throws IOException {
    cluster.agents().describe(target);
    ReplicaProbe probe = cluster.probe(target);
    return !probe.held().temporary.isEmpty();
  }

  @Test
  void moreThanCanWaitAreRefused() throws Exception {
    long first = cluster.agents().encode(agent, slow());
    Conditions.await(
        "the first to run",
        () -> cluster.agents().poll(agent, first, 0).state == TaskState.RUNNING);
    long[] queued = new long[QUEUE];
    for (int i = 0; i < QUEUE; i++) {
      queued[i] = cluster.agents().encode(agent, slow());
      assertThat(cluster.agents().poll(agent, queued[i], 0).state).isEqualTo(TaskState.QUEUED);
    }
    AgentMXBean bean = AgentBeans.all().get(agent.getDatanodeUuid());
    assertThat(bean.getRunningTasks()).isEqualTo(1);
    assertThat(bean.getQueuedTasks()).isEqualTo(QUEUE);
    refused(
        AgentException.Kind.BUSY, AgentKeys.QUEUE, () -> cluster.agents().encode(agent, slow()));
    cluster.agents().cancel(agent, queued[0]);
    assertThat(cluster.agents().poll(agent, queued[0], 0).state).isEqualTo(TaskState.CANCELLED);
    long instead = cluster.agents().encode(agent, slow());
    for (long task : new long[] {first, queued[1], instead}) {
      cluster.agents().cancel(agent, task);
    }
    for (long task : new long[] {first, queued[1], instead}) {
      assertThat(cluster.await(agent, task).state).isEqualTo(TaskState.CANCELLED);
    }
    cluster.awaitHeld(before);
  }

  @Test
  void aTaskThatNobodyAsksAboutIsGivenUp() throws Exception {
    long failed = AgentBeans.sum(AgentCount.TASKS_FAILED);
    cluster.agents().encode(agent, slow());
    long second = cluster.agents().encode(agent, slow());
    AgentMXBean bean = AgentBeans.all().get(agent.getDatanodeUuid());
    Conditions.await(
        "both to end", () -> bean.getRunningTasks() == 0 && bean.getQueuedTasks() == 0);
    TaskReport report = cluster.agents().poll(agent, second, 0);
    assertThat(report.state).isEqualTo(TaskState.FAILED);
    assertThat(report.error).contains("nobody has asked about the task for 2 s");
    assertThat(AgentBeans.sum(AgentCount.TASKS_FAILED) - failed).isEqualTo(2);
    cluster.awaitHeld(before);
    Conditions.await("the end to be forgotten", () -> isUnknown(second));
  }

  private boolean isUnknown(long task) throws IOException {
    try {
      cluster.agents().poll(agent, task, 0);
      return false;
    } catch (AgentException e) {
      assertThat(e.kind()).isEqualTo(AgentException.Kind.UNKNOWN_TASK);
      assertThat(e).hasMessageContaining(AgentKeys.RESULT_PERIOD);
      return true;
    }
  }

  @Test
  void eachDataNodeHasABeanOfItsOwn() throws Exception {
    assertThat(AgentBeans.all().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(cluster.nodes())
                .map(DatanodeInfo::getDatanodeUuid)
                .collect(Collectors.toList()));
    Map<String, Long> counted = AgentBeans.all().get(agent.getDatanodeUuid()).getCounts();
    EncodeRequest request = file.request(agent, targets).build();
    TaskReport report = cluster.await(agent, cluster.agents().encode(agent, request));
    Map<String, Long> counts = AgentBeans.all().get(agent.getDatanodeUuid()).getCounts();
    check(counted, counts, AgentCount.READ_LOCAL, report.result.readLocal);
    check(counted, counts, AgentCount.READ_RACK, report.result.readRack);
    check(counted, counts, AgentCount.READ_REMOTE, report.result.readRemote);
    check(counted, counts, AgentCount.SENT_LOCAL, report.result.sentLocal);
    check(counted, counts, AgentCount.SENT_RACK, report.result.sentRack);
    check(counted, counts, AgentCount.SENT_REMOTE, report.result.sentRemote);
    check(counted, counts, AgentCount.TASKS_DONE, 1);
    assertThat(AgentBeans.all().get(agent.getDatanodeUuid()).getBufferBytes()).isPositive();
  }

  private static void check(
      Map<String, Long> before, Map<String, Long> after, AgentCount what, long difference) {
    assertThat(after.get(what.metricName()) - before.get(what.metricName()))
        .as(what.metricName())
        .isEqualTo(difference);
  }
}
