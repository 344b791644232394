// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackOrder;
import org.stripeline.placement.Topology;

/** Assigns nodes to the blocks of a layout, which only counts blocks where nodes are equivalent. */
final class PlanWriter {
  private final GroupTask task;
  private final GroupReplicas replicas;
  private final Topology topology;
  private final CodeShape shape;
  private final int[] racks;
  private final GroupLayout layout;
  private final int coreRack;
  private final SplittableRandom random;

  PlanWriter(
      GroupTask task,
      CodeShape shape,
      int[] racks,
      GroupLayout layout,
      int coreRack,
      SplittableRandom random) {
    this.task = task;
    this.replicas = task.replicas();
    this.topology = task.topology();
    this.shape = shape;
    this.racks = racks;
    this.layout = layout;
    this.coreRack = coreRack;
    this.random = random;
  }

  GroupPlan write() {
    int[] fresh = freshNodes();
    int taken = 0;
    int[] data = new int[replicas.blocks()];
    boolean[] isAdopted = new boolean[data.length];
    for (int block = 0; block < data.length; block++) {
      int keeper = layout.keeper(block);
      isAdopted[block] = keeper >= 0;
      data[block] = isAdopted[block] ? keeper : fresh[taken++];
    }
    int[] parity = Arrays.copyOfRange(fresh, taken, fresh.length);
    int encoder = encoder();
    int[][] readOrder = new int[data.length][];
    for (int block = 0; block < data.length; block++) {
      readOrder[block] = nearestFirst(replicas.of(block), encoder, readOrder);
    }
    return new GroupPlan(task, shape, encoder, data, isAdopted, parity, readOrder);
  }

  /** Returns the nodes of the new blocks in random order. */
  private int[] freshNodes() {
    int[] nodes = new int[layout.fresh()];
    int count = 0;
    for (int i = 0; i < replicas.distinct().length; i++) {
      if (layout.isFreshOn(i)) {
        nodes[count++] = replicas.distinct()[i];
      }
    }
    for (int i = 0; i < racks.length; i++) {
      int first = count;
      for (int left = layout.freshIn(i); left > 0; left--) {
        nodes[count] = idleNode(racks[i], nodes, first, count);
        count++;
      }
    }
    RackOrder.shuffle(nodes, count, random);
    return nodes;
  }

  /**
   * Returns the less loaded of two random nodes, so that new blocks do not all go to the same node.
   */
  private int idleNode(int rack, int[] used, int from, int to) {
    int one = anyNode(rack, used, from, to);
    int other = anyNode(rack, used, from, to);
    return topology.load(other) < topology.load(one) ? other : one;
  }

  private int anyNode(int rack, int[] used, int from, int to) {
    int open = topology.open(rack);
    int start = random.nextInt(open);
    for (int i = 0; i < open; i++) {
      int node = topology.node(rack, (start + i) % open);
      boolean isFree = replicas.indexOf(node) < 0;
      for (int j = from; isFree && j < to; j++) {
        isFree = used[j] != node;
      }
      if (isFree) {
        return node;
      }
    }
    throw new IllegalStateException(
        "Cannot find a node in rack " + rack + ": the layout counts more than its " + open);
  }

  private int encoder() {
    int best = -1;
    int bestBlocks = -1;
    int start = random.nextInt(topology.size(coreRack));
    for (int i = 0; i < topology.size(coreRack); i++) {
      int node = topology.node(coreRack, (start + i) % topology.size(coreRack));
      if (topology.state(node).keeps()) {
        int blocks = replicas.indexOf(node) < 0 ? 0 : blocksOn(node);
        boolean isLess = best >= 0 && topology.load(node) < topology.load(best);
        if (blocks > bestBlocks || blocks == bestBlocks && isLess) {
          best = node;
          bestBlocks = blocks;
        }
      }
    }
    return best;
  }

  private int blocksOn(int node) {
    int count = 0;
    for (int block = 0; block < replicas.blocks(); block++) {
      for (int holder : replicas.of(block)) {
        count += holder == node ? 1 : 0;
      }
    }
    return count;
  }

  /**
   * Sorts nodes by their distance from the encoder, nearest first. Uses insertion sort because a
   * block usually has three replicas.
   *
   * @param before the nodes from which the previous blocks are read, null from this block on
   */
  private int[] nearestFirst(int[] nodes, int encoder, int[][] before) {
    int[] sorted = nodes.clone();
    long[] farness = new long[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      int node = sorted[i];
      long far = farness(node, encoder, before);
      int at = i;
      while (at > 0 && far < farness[at - 1]) {
        sorted[at] = sorted[at - 1];
        farness[at] = farness[at - 1];
        at--;
      }
      sorted[at] = node;
      farness[at] = far;
    }
    return sorted;
  }

  /**
   * Returns the distance of a node from the encoder. Nodes in other racks are nearer if fewer
   * blocks are to be read from their rack.
   */
  private long farness(int node, int encoder, int[][] before) {
    int rack = topology.rackOf(node);
    if (rack == coreRack) {
      return ((node == encoder ? 0L : 1L) << 32) + topology.load(node);
    }
    int reads = 2 + task.traffic().outOf(rack);
    for (int block = 0; before[block] != null; block++) {
      reads += topology.rackOf(before[block][0]) == rack ? 1 : 0;
    }
    return ((long) reads << 32) + topology.load(node);
  }
}
