// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;
import java.util.BitSet;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/** Tries every layout of a small group; the reference for the planner. */
final class BruteForce {
  private final Topology topology;
  private final RackRule rule;
  private final BitSet targets;
  private final RackTraffic traffic;
  private final int[][] replicas;
  private final int parity;
  private final int[] nodes;
  private final boolean[] used;
  private long[] best;

  private BruteForce(
      Topology topology,
      RackRule rule,
      BitSet targets,
      RackTraffic traffic,
      int[][] replicas,
      int parity) {
    this.topology = topology;
    this.rule = rule;
    this.targets = targets;
    this.traffic = traffic;
    this.replicas = replicas;
    this.parity = parity;
    this.nodes = new int[replicas.length + parity];
    this.used = new boolean[topology.nodes()];
  }

  /**
   * Returns the cost of the best layout, the most important part first: blocks above c (the second
   * one in a rack counts twice, and so on), blocks outside the target racks, missing racks, blocks
   * sent, blocks that cross racks (each counts {@link GroupPlanner#CROSSING_WEIGHT} times) plus
   * those that the core rack's link already has to carry. Null if there is no layout.
   */
  static long[] best(
      Topology topology,
      RackRule rule,
      BitSet targets,
      RackTraffic traffic,
      int[][] replicas,
      int parity) {
    BruteForce search = new BruteForce(topology, rule, targets, traffic, replicas, parity);
    search.place(0);
    return search.best;
  }

  /** Returns the cost of a given layout and core rack, as {@link #best} does. */
  static long[] cost(
      Topology topology,
      RackRule rule,
      BitSet targets,
      RackTraffic traffic,
      int[][] replicas,
      int[] nodes,
      int coreRack) {
    int[] counts = new int[topology.racks()];
    long sends = 0;
    long crossing = 0;
    for (int i = 0; i < nodes.length; i++) {
      counts[topology.rackOf(nodes[i])]++;
      boolean isKept = i < replicas.length && keeps(topology, replicas[i], nodes[i]);
      sends += i < replicas.length && !isKept ? 1 : 0;
      crossing += !isKept && topology.rackOf(nodes[i]) != coreRack ? 1 : 0;
      crossing += i < replicas.length && !isReadableIn(topology, replicas[i], coreRack) ? 1 : 0;
    }
    long above = 0;
    long offTarget = 0;
    int racks = 0;
    for (int rack = 0; rack < counts.length; rack++) {
      int over = Math.max(0, counts[rack] - rule.blocksPerRackMax());
      above += (long) over * (over + 1) / 2;
      racks += counts[rack] > 0 ? 1 : 0;
      offTarget += targets == null || targets.get(rack) ? 0 : counts[rack];
    }
    int eligible = targets == null ? topology.racks() : targets.cardinality();
    int required = rule.racksRequired(nodes.length, Math.min(eligible, topology.liveRacks()));
    long waiting = traffic.through(coreRack);
    crossing *= GroupPlanner.CROSSING_WEIGHT;
    return new long[] {above, offTarget, Math.max(0, required - racks), sends, waiting + crossing};
  }

  private static boolean keeps(Topology topology, int[] replicas, int node) {
    return topology.state(node).keeps() && Arrays.stream(replicas).anyMatch(r -> r == node);
  }

  private static boolean isReadableIn(Topology topology, int[] replicas, int rack) {
    return Arrays.stream(replicas)
        .anyMatch(r -> topology.rackOf(r) == rack && topology.state(r).isReadable());
  }

  private void place(int block) {
    if (block == nodes.length) {
      for (int core = 0; core < topology.racks(); core++) {
        if (hasEncoder(core)) {
          long[] cost = cost(topology, rule, targets, traffic, replicas, nodes, core);
          best = best == null || Arrays.compare(cost, best) < 0 ? cost : best;
        }
      }
      return;
    }
    // Parity blocks are equivalent: one order of them is enough.
    int from = block > replicas.length ? nodes[block - 1] + 1 : 0;
    for (int node = from; node < used.length; node++) {
      boolean mayHold =
          topology.state(node) == NodeState.OPEN
              || block < replicas.length && keeps(topology, replicas[block], node);
      if (mayHold && !used[node]) {
        used[node] = true;
        nodes[block] = node;
        place(block + 1);
        used[node] = false;
      }
    }
  }

  private boolean hasEncoder(int rack) {
    for (int i = 0; i < topology.size(rack); i++) {
      if (topology.state(topology.node(rack, i)).keeps()) {
        return true;
      }
    }
    return false;
  }
}
