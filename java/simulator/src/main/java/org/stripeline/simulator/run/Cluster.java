// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;
import org.stripeline.simulator.scenario.Settings;

/** The nodes of the cluster and their current state. */
final class Cluster {
  private final Settings settings;

  /** The number of causes for which each node is dead: its own failure, and outages of its rack. */
  private final int[] reasons;

  private Topology topology;

  Cluster(Settings settings) {
    this.settings = settings;
    this.reasons = new int[settings.nodes()];
    this.topology = Topology.uniform(settings.racks, settings.nodesPerRack);
  }

  /** Returns the current topology. */
  Topology topology() {
    return topology;
  }

  boolean isLive(int node) {
    return reasons[node] == 0;
  }

  /** Changes the number of causes for which nodes are dead. */
  void change(int[] nodes, int by) {
    for (int node : nodes) {
      reasons[node] += by;
    }
    Topology.Builder builder = new Topology.Builder();
    for (int node = 0; node < reasons.length; node++) {
      NodeState state = reasons[node] == 0 ? NodeState.OPEN : NodeState.DEAD;
      builder.add(node / settings.nodesPerRack, state, 0);
    }
    topology = builder.build();
  }

  int[] nodesOf(int rack) {
    int[] nodes = new int[settings.nodesPerRack];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = rack * settings.nodesPerRack + i;
    }
    return nodes;
  }
}
