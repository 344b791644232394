// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.agent.AgentNode;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.GroupPlan;

/** Selects the encoder of a planned group, and the order in which it reads replicas. */
final class EncoderChoice {
  private final GroupPlan plan;
  private final AgentNodes.Snapshot cluster;
  private final List<LocatedBlock> blocks;

  EncoderChoice(GroupPlan plan, AgentNodes.Snapshot cluster, List<LocatedBlock> blocks) {
    this.plan = plan;
    this.cluster = cluster;
    this.blocks = blocks;
  }

  /**
   * Returns the encoder of the plan; if that failed, another DataNode in the core rack, or else
   * any, those with more replicas first.
   *
   * @param failed UUIDs of DataNodes that have failed to encode the group
   */
  int number(Set<String> failed) {
    int best = plan.encoder();
    int bestRank = -1;
    if (failed.isEmpty()) {
      return best;
    }
    Topology topology = cluster.topology();
    int[] held = held();
    for (int node = 0; node < topology.nodes(); node++) {
      if (topology.state(node).keeps() && !failed.contains(cluster.node(node).getDatanodeUuid())) {
        int rank = (topology.rackOf(node) == plan.coreRack() ? blocks.size() + 1 : 0) + held[node];
        if (rank > bestRank) {
          best = node;
          bestRank = rank;
        }
      }
    }
    return best;
  }

  /** Returns the number of replicas of the group's blocks on each DataNode. */
  private int[] held() {
    int[] held = new int[cluster.topology().nodes()];
    for (LocatedBlock block : blocks) {
      for (int holder : cluster.numbers(block.getLocations())) {
        held[holder]++;
      }
    }
    return held;
  }

  /**
   * Returns all DataNodes with a good replica, those nearest to the encoder first, and then those
   * that only have a vote; see {@link BadReplicas#voters}.
   */
  List<AgentNode> readOrder(int block, int encoder, BadReplicas bad) {
    Set<Integer> holders = new LinkedHashSet<>();
    for (int node : plan.readOrder(block)) {
      holders.add(node);
    }
    for (int node : cluster.numbers(blocks.get(block).getLocations())) {
      holders.add(node);
    }
    holders.removeIf(node -> bad.has(block, cluster.node(node)));
    List<Integer> sorted = new ArrayList<>(holders);
    sorted.sort(Comparator.comparingInt(node -> distance(node, encoder)));
    List<AgentNode> nodes = new ArrayList<>();
    for (int node : sorted) {
      nodes.add(AgentNode.of(cluster.node(node)));
    }
    List<DatanodeInfo> rest = new ArrayList<>(bad.voters(block));
    // A DataNode that returned after the snapshot still counts when replicas are compared.
    rest.addAll(Arrays.asList(blocks.get(block).getLocations()));
    for (DatanodeInfo holder : rest) {
      boolean isNamed = nodes.stream().anyMatch(node -> node.uuid.equals(holder.getDatanodeUuid()));
      if (!isNamed && !bad.has(block, holder)) {
        // Agents refuse addresses that a DataNode had before it was restarted.
        DatanodeInfo now = cluster.find(holder.getDatanodeUuid());
        nodes.add(AgentNode.of(now == null ? holder : now));
      }
    }
    return nodes;
  }

  private int distance(int node, int encoder) {
    if (node == encoder) {
      return 0;
    }
    boolean isSilent =
        !cluster.topology().state(node).keeps()
            && cluster.node(node).getAdminState() == DatanodeInfo.AdminStates.NORMAL;
    if (isSilent) {
      return 3;
    }
    return cluster.topology().rackOf(node) == cluster.topology().rackOf(encoder) ? 1 : 2;
  }
}
