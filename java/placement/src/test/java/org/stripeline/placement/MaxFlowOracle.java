// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Collection;
import org.jgrapht.alg.flow.DinicMFImpl;
import org.jgrapht.graph.DefaultDirectedWeightedGraph;
import org.jgrapht.graph.DefaultWeightedEdge;

/** Computes how many blocks can retain a replica, with JGraphT's maximum flow. */
public final class MaxFlowOracle {
  private final DefaultDirectedWeightedGraph<String, DefaultWeightedEdge> graph =
      new DefaultDirectedWeightedGraph<>(DefaultWeightedEdge.class);

  private MaxFlowOracle() {}

  /**
   * Returns the maximum flow.
   *
   * @param surplusMax the maximum number of blocks in a rack beyond the first of each rack
   */
  public static int maxFlow(
      Topology topology, Collection<int[]> blocks, int blocksPerRackMax, int surplusMax) {
    MaxFlowOracle oracle = new MaxFlowOracle();
    oracle.edge("surplus", "sink", surplusMax);
    for (int rack = 0; rack < topology.racks(); rack++) {
      oracle.edge("rack" + rack, "sink", 1);
      oracle.edge("rack" + rack, "surplus", blocksPerRackMax - 1);
    }
    int number = 0;
    for (int[] replicas : blocks) {
      String block = "block" + number++;
      oracle.edge("source", block, 1);
      for (int node : replicas) {
        if (topology.hasNode(node) && topology.state(node).keeps()) {
          oracle.edge(block, "node" + node, 1);
          oracle.edge("node" + node, "rack" + topology.rackOf(node), 1);
        }
      }
    }
    if (number == 0) {
      return 0;
    }
    return (int) Math.round(new DinicMFImpl<>(oracle.graph).getMaximumFlowValue("source", "sink"));
  }

  private void edge(String from, String to, int capacity) {
    graph.addVertex(from);
    graph.addVertex(to);
    if (capacity > 0 && !graph.containsEdge(from, to)) {
      graph.setEdgeWeight(graph.addEdge(from, to), capacity);
    }
  }
}
