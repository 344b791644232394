// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;
import org.stripeline.server.agent.AboutAgent;
import org.stripeline.server.agent.AgentProtocol;
import org.stripeline.server.agent.Agents;

/** The DataNodes as they are now, for planning: where they are, whether an agent runs there. */
final class AgentNodes {
  private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int ASKED_AT_ONCE = 16;
  private static final int NAMED_MAX = 10;

  private final DFSClient client;
  private final Agents agents;

  /** Identities of DataNodes whose agent has answered as it should. */
  private final Set<String> sound = ConcurrentHashMap.newKeySet();

  private Snapshot latest;

  AgentNodes(DFSClient client, Agents agents) {
    this.client = client;
    this.agents = agents;
  }

  /** The cluster at one moment; nodes are numbered for the planner. */
  static final class Snapshot {
    private final long at = System.nanoTime();
    private final List<DatanodeInfo> nodes;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Topology topology;

    private Snapshot(List<DatanodeInfo> nodes, Set<String> sound) {
      this.nodes = nodes;
      Map<String, Integer> racks = new HashMap<>();
      Topology.Builder builder = new Topology.Builder();
      for (DatanodeInfo node : nodes) {
        Integer rack = racks.computeIfAbsent(node.getNetworkLocation(), any -> racks.size());
        int number = builder.add(rack, state(node, sound), node.getXceiverCount());
        numbers.put(node.getDatanodeUuid(), number);
      }
      topology = builder.build();
    }

    private static NodeState state(DatanodeInfo node, Set<String> sound) {
      boolean keeps =
          node.getAdminState() == DatanodeInfo.AdminStates.NORMAL
              && sound.contains(node.getDatanodeUuid());
      return keeps ? NodeState.OPEN : NodeState.LEAVING;
    }

    Topology topology() {
      return topology;
    }

    DatanodeInfo node(int number) {
      return nodes.get(number);
    }

    /** Numbers of those of some DataNodes that are live. */
    int[] numbers(DatanodeInfo[] of) {
      int[] known = new int[of.length];
      int count = 0;
      for (DatanodeInfo node : of) {
        Integer number = numbers.get(node.getDatanodeUuid());
        if (number != null) {
          known[count++] = number;
        }
      }
      return java.util.Arrays.copyOf(known, count);
    }

    /** A live DataNode, or null. */
    DatanodeInfo find(String uuid) {
      Integer number = numbers.get(uuid);
      return number == null ? null : nodes.get(number);
    }
  }

  /**
   * Asks the agents of all DataNodes in service.
   *
   * @throws RefusedException if some are missing or of another version, naming them
   */
  void require(List<DatanodeInfo> nodes) throws IOException {
    List<String> complaints = ask(nodes);
    if (complaints.isEmpty()) {
      return;
    }
    int named = Math.min(NAMED_MAX, complaints.size());
    String more = named < complaints.size() ? ", and " + (complaints.size() - named) + " more" : "";
    throw new RefusedException(
        "Cannot use --layout=contiguous: " + complaints.size() + " of " + nodes.size()
            + " DataNodes have no agent that fits: "
            + String.join("; ", complaints.subList(0, named)) + more
            + "; install this release there and restart them (docs/user/convert.md), or use"
            + " --layout=striped, which needs none");
  }

  private List<String> ask(List<DatanodeInfo> nodes) throws IOException {
    ExecutorService threads =
        Executors.newFixedThreadPool(
            ASKED_AT_ONCE,
            task -> {
              Thread thread = new Thread(task, "stripeline-convert-ask");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<Future<String>> answers = new ArrayList<>();
      for (DatanodeInfo node : nodes) {
        answers.add(threads.submit(() -> complaint(node)));
      }
      List<String> complaints = new ArrayList<>();
      for (Future<String> answer : answers) {
        String complaint = Futures.get(answer);
        if (complaint != null) {
          complaints.add(complaint);
        }
      }
      return complaints;
    } finally {
      threads.shutdownNow();
    }
  }

  /** What is wrong with an agent, or null. */
  private String complaint(DatanodeInfo node) {
    try {
      AboutAgent about = agents.about(node);
      if (about.protocol != AgentProtocol.NUMBER) {
        return node.getXferAddr() + " has version " + about.version + " (protocol " + about.protocol
            + ", wanted " + AgentProtocol.NUMBER + ")";
      }
      sound.add(node.getDatanodeUuid());
      return null;
    } catch (IOException e) {
      return node.getXferAddr() + " (" + Reasons.of(e) + ")";
    }
  }

  /** The cluster as it was some seconds ago at most. */
  synchronized Snapshot now() throws IOException {
    if (latest == null || System.nanoTime() - latest.at > REFRESH_NANOS) {
      latest = fresh();
    }
    return latest;
  }

  /** The cluster as it is. */
  Snapshot fresh() throws IOException {
    List<DatanodeInfo> nodes = new ArrayList<>();
    List<DatanodeInfo> unknown = new ArrayList<>();
    for (DatanodeInfo node : client.datanodeReport(DatanodeReportType.LIVE)) {
      nodes.add(node);
      if (!sound.contains(node.getDatanodeUuid())) {
        unknown.add(node);
      }
    }
    if (!unknown.isEmpty()) {
      // DataNodes may come while a job goes on; those without an agent keep no blocks of groups.
      ask(unknown);
    }
    return new Snapshot(Collections.unmodifiableList(nodes), new TreeSet<>(sound));
  }

  Agents agents() {
    return agents;
  }
}
