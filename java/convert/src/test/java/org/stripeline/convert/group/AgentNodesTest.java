// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.AgentProtocol;
import org.stripeline.agent.Agents;
import org.stripeline.placement.NodeState;
import org.stripeline.testkit.Conditions;

/** Tests what is known of DataNodes, and when their agents are asked. */
@Timeout(value = 1, unit = TimeUnit.MINUTES)
class AgentNodesTest {
  private final AtomicLong nanos = new AtomicLong();
  private final List<DatanodeStorageReport> reports = new ArrayList<>();
  private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();
  private final CountDownLatch answer = new CountDownLatch(1);

  private final Agents agents =
      (Agents)
          Proxy.newProxyInstance(
              Agents.class.getClassLoader(),
              new Class<?>[] {Agents.class},
              (proxy, method, arguments) -> describe(((DatanodeInfo) arguments[0])));

  private AgentInfo describe(DatanodeInfo node) throws InterruptedException {
    String uuid = node.getDatanodeUuid();
    asked.computeIfAbsent(uuid, any -> new AtomicInteger()).incrementAndGet();
    if (uuid.equals("silent")) {
      answer.await();
    }
    return new AgentInfo(AgentProtocol.NUMBER, "version", "hadoop", uuid, "coder");
  }

  private DatanodeInfo add(String uuid, AdminStates state) {
    DatanodeInfo node =
        new DatanodeInfoBuilder()
            .setDatanodeUuid(uuid)
            .setNetworkLocation("/r")
            .setAdminState(state)
            .build();
    reports.add(new DatanodeStorageReport(node, new StorageReport[0]));
    return node;
  }

  private DFSClient client() throws IOException {
    return new DFSClient(URI.create("hdfs://localhost:1"), new Configuration()) {
      @Override
      public DatanodeStorageReport[] getDatanodeStorageReport(DatanodeReportType type) {
        return reports.toArray(new DatanodeStorageReport[0]);
      }
    };
  }

  private static NodeState state(AgentNodes.Snapshot snapshot, String uuid) {
    return snapshot.topology().state(snapshot.numbers(new DatanodeInfo[] {snapshot.find(uuid)})[0]);
  }

  private void later(long seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  /** One whose port a firewall closes, or whose handlers hang. */
  @Test
  void noPlanWaitsForADataNodeThatDoesNotAnswer() throws Exception {
    try (DFSClient client = client()) {
      AgentNodes nodes = new AgentNodes(client, agents, nanos::get);
      nodes.require(Collections.singletonList(add("sound", AdminStates.NORMAL)));
      add("silent", AdminStates.NORMAL);
      add("joined", AdminStates.NORMAL);

      assertThat(state(nodes.now(), "silent")).isEqualTo(NodeState.LEAVING);
      assertThat(state(nodes.now(), "sound")).isEqualTo(NodeState.OPEN);
      Conditions.await(
          "the answer of the one that joined",
          () -> state(nodes.fresh(), "joined") == NodeState.OPEN);
      assertThat(asked.get("joined")).hasValue(1);
      later(11);
      assertThat(state(nodes.now(), "joined")).isEqualTo(NodeState.OPEN);

      later(120);
      assertThat(state(nodes.now(), "silent")).isEqualTo(NodeState.LEAVING);
      answer.countDown();
      Conditions.await("the late answer", () -> state(nodes.fresh(), "silent") == NodeState.OPEN);
    }
  }

  @Test
  void aDataNodeThatDoesNotAnswerIsNotAskedForEachPlan() throws Exception {
    try (DFSClient client = client()) {
      AgentNodes nodes = new AgentNodes(client, agents, nanos::get);
      add("silent", AdminStates.NORMAL);
      for (int i = 0; i < 5; i++) {
        nodes.fresh();
        later(11);
      }
      Conditions.await(
          "the question", () -> asked.containsKey("silent") && asked.get("silent").get() == 1);
      later(120);
      nodes.fresh();
      Conditions.await("the second question", () -> asked.get("silent").get() == 2);
      answer.countDown();
    }
  }

  @Test
  void dataNodesThatAreTakenOutOfServiceGetNoBlocks() throws Exception {
    List<AdminStates> states =
        Arrays.asList(
            AdminStates.NORMAL,
            AdminStates.DECOMMISSION_INPROGRESS,
            AdminStates.ENTERING_MAINTENANCE);
    states.forEach(state -> add(state.toString(), state));
    add("full", AdminStates.NORMAL);
    AgentNodes.Snapshot all =
        new AgentNodes.Snapshot(reports, 0, Collections.emptySet(), Collections.emptySet());
    assertThat(all.takers()).isEqualTo(2);
    assertThat(all.sparing(Collections.singleton("full")).takers()).isOne();
  }
}
