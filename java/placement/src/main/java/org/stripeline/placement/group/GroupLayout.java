// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.SplittableRandom;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;

/**
 * Computes the cheapest layout of a group for a given core rack as a minimum-cost flow:
 *
 * <pre>
 *   source -1-> data block -1-> node with a replica -1-> rack -1-> sink
 *                    \ send                             rack -(c-1)-> surplus -(n-S)-> sink
 *   source -m-> ------- fresh -1-> node with a replica and room -1-> rack
 *                       fresh -nodes with room-> rack
 * </pre>
 *
 * where S is the number of different racks required: only n - S blocks may be in a rack that
 * already has one. A data block whose path passes through "fresh" must be sent; parity blocks
 * always are. A block sent from the core rack to another rack costs 1, sending a data block costs
 * more than the sum of all of these, and a violation of the rule costs more than sending every
 * block. The flow therefore retains the maximum number of replicas and keeps the core rack free for
 * parity wherever replicas in other racks can be retained instead.
 */
final class GroupLayout {
  private static final int SOURCE = 0;
  private static final int SINK = 1;
  private static final int SURPLUS = 2;
  private static final int FRESH = 3;
  private static final int BLOCKS = 4;

  /** Each weight exceeds the sum of all lower ones; a group has at most 256 blocks. */
  private static final long CROSS_RACK = 1;

  private static final long SEND = 1L << 9;
  private static final long RACK_MISSING = 1L << 18;
  private static final long OFF_TARGET = 1L << 27;

  /**
   * Multiplied by 1 for the first block above c in a rack, by 2 for the second, so that spreading
   * the excess costs less.
   */
  private static final long ABOVE_MAX = 1L << 36;

  private final GroupReplicas replicas;
  private final Topology topology;
  private final GroupTask task;
  private final int coreRack;
  private final int blocks;
  private final CostFlow flow;

  /** The racks that may get blocks, and the vertex of the first of them. */
  private final int[] racks;

  private final int rackVertex;
  private final int[][] keepEdges;
  private final int[] freshNodeEdges;
  private final int[] freshRackEdges;
  private int placed;
  private boolean isRelaxed;

  /**
   * Prepares a layout.
   *
   * @param racks the racks that may get blocks, in order of preference
   */
  GroupLayout(GroupTask task, int[] racks, int coreRack, SplittableRandom random) {
    this.task = task;
    this.replicas = task.replicas();
    this.topology = task.topology();
    this.coreRack = coreRack;
    this.racks = racks;
    this.blocks = replicas.blocks();
    int nodes = replicas.distinct().length;
    this.rackVertex = BLOCKS + blocks + nodes;
    this.flow = new CostFlow(rackVertex + racks.length, 5 * blocks + 2 * nodes + 3 * racks.length);
    this.keepEdges = new int[blocks][];
    this.freshNodeEdges = new int[nodes];
    this.freshRackEdges = new int[racks.length];
    addBlocks(random);
    addNodes();
    addRacks();
  }

  private void addBlocks(SplittableRandom random) {
    flow.add(SOURCE, FRESH, task.parity(), 0);
    for (int block = 0; block < blocks; block++) {
      int[] nodes = replicas.of(block);
      flow.add(SOURCE, BLOCKS + block, 1, 0);
      flow.add(BLOCKS + block, FRESH, 1, SEND);
      keepEdges[block] = new int[nodes.length];
      // The start is random: a fixed one would put load on the nodes that wrote the blocks.
      int first = random.nextInt(nodes.length);
      for (int i = 0; i < nodes.length; i++) {
        int choice = (first + i) % nodes.length;
        boolean keeps = topology.state(nodes[choice]).keeps();
        int place = BLOCKS + blocks + replicas.indexOf(nodes[choice]);
        keepEdges[block][choice] = keeps ? flow.add(BLOCKS + block, place, 1, 0) : -1;
      }
    }
  }

  private void addNodes() {
    int[] nodes = replicas.distinct();
    int[] vertexOfRack = task.rackIndexes(racks);
    for (int i = 0; i < nodes.length; i++) {
      int place = BLOCKS + blocks + i;
      int rack = topology.rackOf(nodes[i]);
      freshNodeEdges[i] = -1;
      if (topology.state(nodes[i]).keeps()) {
        flow.add(place, rackVertex + vertexOfRack[i], 1, 0);
      }
      if (topology.state(nodes[i]) == NodeState.OPEN) {
        freshNodeEdges[i] = flow.add(FRESH, place, 1, rack == coreRack ? 0 : CROSS_RACK);
      }
    }
  }

  private void addRacks() {
    int total = task.blocks();
    flow.add(SURPLUS, SINK, total - task.racksRequired(), 0);
    for (int i = 0; i < racks.length; i++) {
      int rack = racks[i];
      int open = task.openWithoutReplica(rack);
      freshRackEdges[i] =
          open == 0 ? -1 : flow.add(FRESH, rackVertex + i, open, rack == coreRack ? 0 : CROSS_RACK);
      if (task.isTarget(rack)) {
        addExits(i, 0);
      }
    }
  }

  private void addExits(int rack, long cost) {
    int most = Math.min(task.rule().blocksPerRackMax(), task.blocks());
    flow.add(rackVertex + rack, SINK, 1, cost);
    if (most > 1) {
      flow.add(rackVertex + rack, SURPLUS, most - 1, cost);
    }
  }

  /**
   * Computes the layout: one that satisfies the rule if there is any, otherwise one with the
   * smallest violation.
   *
   * @return whether there are enough nodes
   */
  boolean solve() {
    int total = task.blocks();
    placed = flow.grow(SOURCE, SINK);
    if (placed < total) {
      isRelaxed = true;
      relax();
      placed += flow.grow(SOURCE, SINK);
    }
    return placed == total;
  }

  private void relax() {
    int total = task.blocks();
    int most = Math.min(task.rule().blocksPerRackMax(), total);
    flow.add(SURPLUS, SINK, total, RACK_MISSING);
    for (int i = 0; i < racks.length; i++) {
      long cost = task.isTarget(racks[i]) ? 0 : OFF_TARGET;
      if (cost > 0) {
        addExits(i, cost);
      }
      int reach = Math.min(total, topology.size(racks[i]));
      for (int above = 1; above <= reach - most; above++) {
        flow.add(rackVertex + i, SURPLUS, 1, cost + above * ABOVE_MAX);
      }
    }
  }

  /** Returns how many blocks were assigned a node. */
  int placed() {
    return placed;
  }

  /** Returns whether no layout satisfies the rule. */
  boolean isRelaxed() {
    return isRelaxed;
  }

  /** Returns the number of new blocks: parity blocks and data blocks that must be sent. */
  int fresh() {
    int kept = 0;
    for (int block = 0; block < blocks; block++) {
      kept += keeper(block) < 0 ? 0 : 1;
    }
    return task.blocks() - kept;
  }

  /** Returns the node whose replica of a block is retained, -1 if the block must be sent. */
  int keeper(int block) {
    for (int i = 0; i < keepEdges[block].length; i++) {
      if (keepEdges[block][i] >= 0 && flow.flow(keepEdges[block][i]) > 0) {
        return replicas.of(block)[i];
      }
    }
    return -1;
  }

  /**
   * Returns whether a new block is placed on a node that holds a replica, given by its index among
   * the distinct nodes.
   */
  boolean isFreshOn(int nodeIndex) {
    return freshNodeEdges[nodeIndex] >= 0 && flow.flow(freshNodeEdges[nodeIndex]) > 0;
  }

  /**
   * Returns how many new blocks are placed on nodes of a rack that hold no replica of the group.
   */
  int freshIn(int rackIndex) {
    return freshRackEdges[rackIndex] < 0 ? 0 : flow.flow(freshRackEdges[rackIndex]);
  }

  /** Returns how many new blocks are sent out of the core rack. */
  int freshAcrossRacks() {
    int count = 0;
    for (int i = 0; i < freshNodeEdges.length; i++) {
      boolean isAway = topology.rackOf(replicas.distinct()[i]) != coreRack;
      count += isAway && isFreshOn(i) ? 1 : 0;
    }
    for (int i = 0; i < racks.length; i++) {
      count += racks[i] == coreRack ? 0 : freshIn(i);
    }
    return count;
  }
}
