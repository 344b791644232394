// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.server.datanode.AgentCluster.refused;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.ReplicaProbe;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.Agents;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.TaskReport;
import org.stripeline.agent.TaskState;
import org.stripeline.server.datanode.AgentBeans;
import org.stripeline.server.datanode.AgentCluster;
import org.stripeline.server.datanode.AgentCluster.Adoption;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.server.datanode.AgentKeys;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;
import org.stripeline.server.datanode.ForwardingAgents;
import org.stripeline.server.datanode.replica.LocalReplicas;
import org.stripeline.testkit.Conditions;

/** Tests the life cycle of tasks: queueing, rates, progress, cancellation and time limits. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
@Tag("own-jvm")
class AgentTaskTest {
  private static final int BLOCK = AgentCluster.BLOCK;
  private static final byte[] DATA = AgentCluster.bytes(3 * BLOCK - 4_567, 1);
  private static final int QUEUE = 2;

  private AgentCluster cluster;
  private Adoption file;
  private DatanodeInfo agent;
  private List<DatanodeInfo> targets;
  private Map<String, String> before;

  /** The clock of {@link #table}. */
  private final AtomicLong now = new AtomicLong();

  @BeforeAll
  void start(@TempDir Path dir) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setInt(AgentKeys.TASKS, 1);
    conf.setInt(AgentKeys.QUEUE, QUEUE);
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
  void respectsItsRateAndReportsProgress() throws Exception {
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
  void aCancelledTicketStartsNoTask() throws Exception {
    String ticket = UUID.randomUUID().toString();
    long task = cluster.agents().encode(agent, ticket + "-0", slow());
    assertThat(cluster.agents().cancel(agent, ticket)).containsExactly(task);
    assertThat(cluster.await(agent, task).state).isEqualTo(TaskState.CANCELLED);
    refused(
        AgentException.Kind.FAILED,
        "was cancelled before the request arrived",
        () -> cluster.agents().encode(agent, ticket + "-1", slow()));
    assertThat(cluster.agents().cancel(agent, "no such ticket")).isEmpty();
    refused(
        AgentException.Kind.BAD_REQUEST,
        "an empty ticket",
        () -> cluster.agents().cancel(agent, ""));
    cluster.awaitHeld(before);
  }

  @Test
  void cancellingLeavesNoBlocks() throws Exception {
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
  void tasksBeyondTheQueueAreRefused() throws Exception {
    long first = cluster.agents().encode(agent, slow());
    Conditions.await(
        "the first to run",
        () -> cluster.agents().poll(agent, first, 0).state == TaskState.RUNNING);
    long[] queued = new long[QUEUE];
    for (int i = 0; i < QUEUE; i++) {
      queued[i] = cluster.agents().encode(agent, slow());
      assertThat(cluster.agents().poll(agent, queued[i], 0).state).isEqualTo(TaskState.QUEUED);
    }
    String uuid = agent.getDatanodeUuid();
    assertThat(AgentBeans.number(uuid, "RunningTasks")).isEqualTo(1);
    assertThat(AgentBeans.number(uuid, "QueuedTasks")).isEqualTo(QUEUE);
    Map<String, Long> counted = AgentBeans.counts(uuid);
    refused(
        AgentException.Kind.BUSY, AgentKeys.QUEUE, () -> cluster.agents().encode(agent, slow()));
    Map<String, Long> counts = AgentBeans.counts(uuid);
    check(counted, counts, AgentCount.CALLS_BUSY, 1);
    check(counted, counts, AgentCount.CALLS_FAILED, 0);
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

  /** Holds tasks before they move a byte, until it is closed. */
  private static final class HeldAgents extends ForwardingAgents {
    private final CountDownLatch met = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    HeldAgents(Agents to) {
      super(to);
    }

    @Override
    public void reserve(DatanodeInfo node, String pool, AgentBlock block, String writer)
        throws IOException {
      met.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
      super.reserve(node, pool, block, writer);
    }

    @Override
    public void close() {
      released.countDown();
    }
  }

  private TaskTable table(Agents peers) {
    DataNode node = cluster.dataNode(agent);
    AgentSettings settings = new AgentSettings(node.getConf());
    AgentMetrics metrics = new AgentMetrics(node);
    LocalReplicas replicas = new LocalReplicas(node, settings, metrics, Clock.systemUTC());
    BufferPool buffers = new BufferPool(settings.window, 0);
    return new TaskTable(
        new TaskContext(node, replicas, peers, settings, metrics, buffers, now::get));
  }

  @Test
  void aTaskThatIsNotPolledIsCancelled() throws Exception {
    EncodeRequest request = file.request(agent, targets).build();
    HeldAgents peers = new HeldAgents(cluster.agents());
    try (TaskTable tasks = table(peers)) {
      EncodeTask running = tasks.find(tasks.begin("running", request));
      EncodeTask queued = tasks.find(tasks.begin("queued", request));
      peers.met.await();
      now.addAndGet(TimeUnit.MILLISECONDS.toNanos(AgentKeys.ABANDON_PERIOD_DEFAULT));
      tasks.find(running.number());
      assertThat(queued.hasEnded()).isFalse();
      now.addAndGet(1);
      tasks.find(running.number());
      assertThat(queued.report().state).isEqualTo(TaskState.CANCELLED);
      peers.close();
      Conditions.await("the task to end", running::hasEnded);
      assertThat(running.report().state).isEqualTo(TaskState.FAILED);
      assertThat(running.report().error).contains("the task has not been polled for 300 s");
      now.addAndGet(TimeUnit.MILLISECONDS.toNanos(AgentKeys.RESULT_PERIOD_DEFAULT));
      assertThat(tasks.find(running.number())).isSameAs(running);
      now.addAndGet(1);
      refused(
          AgentException.Kind.UNKNOWN_TASK,
          AgentKeys.RESULT_PERIOD,
          () -> tasks.find(running.number()));
    } finally {
      peers.close();
    }
    cluster.awaitHeld(before);
  }

  @Test
  void aTaskThatMovesNothingIsEndedThoughItIsAskedAbout() throws Exception {
    EncodeRequest request = file.request(agent, targets).build();
    HeldAgents peers = new HeldAgents(cluster.agents());
    try (TaskTable tasks = table(peers)) {
      EncodeTask task = tasks.find(tasks.begin("held", request));
      peers.met.await();
      AgentSettings settings = new AgentSettings(cluster.dataNode(agent).getConf());
      now.addAndGet(
          settings.stallNanos + TaskContext.syncNanos(settings, request.data.get(0).block));
      assertThat(task.report().state).isEqualTo(TaskState.RUNNING);
      now.addAndGet(1);
      task.report();
      peers.close();
      Conditions.await("the task to end", task::hasEnded);
      assertThat(task.report().state).isEqualTo(TaskState.FAILED);
      assertThat(task.report().error)
          .contains("no data has been transferred for", AgentKeys.STALL_PERIOD);
    } finally {
      peers.close();
    }
    cluster.awaitHeld(before);
  }

  @Test
  void eachDataNodeHasABeanOfItsOwn() throws Exception {
    assertThat(AgentBeans.all().keySet())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(cluster.nodes())
                .map(DatanodeInfo::getDatanodeUuid)
                .collect(Collectors.toList()));
    Map<String, Long> counted = AgentBeans.counts(agent.getDatanodeUuid());
    EncodeRequest request = file.request(agent, targets).build();
    TaskReport report = cluster.await(agent, cluster.agents().encode(agent, request));
    Map<String, Long> counts = AgentBeans.counts(agent.getDatanodeUuid());
    check(counted, counts, AgentCount.READ_LOCAL, report.result.readLocal);
    check(counted, counts, AgentCount.READ_RACK, report.result.readRack);
    check(counted, counts, AgentCount.READ_REMOTE, report.result.readRemote);
    check(counted, counts, AgentCount.SENT_LOCAL, report.result.sentLocal);
    check(counted, counts, AgentCount.SENT_RACK, report.result.sentRack);
    check(counted, counts, AgentCount.SENT_REMOTE, report.result.sentRemote);
    check(counted, counts, AgentCount.TASKS_DONE, 1);
    assertThat(AgentBeans.number(agent.getDatanodeUuid(), "BufferBytes")).isPositive();
  }

  private static void check(
      Map<String, Long> before, Map<String, Long> after, AgentCount what, long difference) {
    assertThat(after.get(what.metricName()) - before.get(what.metricName()))
        .as(what.metricName())
        .isEqualTo(difference);
  }
}
