// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Decides whether one replica of each block of a stripe can be retained so that the rack rule
 * holds, with the flow graph
 *
 * <pre>
 *   source -1-> block -1-> node with a replica -1-> target rack -1-> sink
 *                                                   target rack -(c-1)-> surplus -(n-S)-> sink
 * </pre>
 *
 * of encoding-aware replication, where S is the number of different racks that the n blocks must
 * occupy. Blocks are added one at a time; each needs one augmenting path. The flow is stored as the
 * node matched with each block and is searched breadth first over blocks: a stripe has few blocks,
 * so that scanning arrays is faster than keeping an index. Not thread-safe.
 */
public final class FlowGraph {
  private final Topology topology;
  private final BitSet targets;
  private final int blocksPerRackMax;
  private final int surplusMax;
  private final int[][] replicas;
  private final int[] matched;
  private final int[] matchedRack;

  /**
   * For each block reached by the search, the block that takes its place if it moves; {@code
   * takersNode} has the node that the taker gets.
   */
  private final int[] taker;

  private final int[] takersNode;
  private final int[] queue;
  private int reached;
  private int blocks;

  /**
   * Creates a graph without blocks.
   *
   * @param shape the code; the graph takes k blocks at most
   * @param targetRacks the racks allowed for the blocks, null if all are; must not be modified
   *     afterwards
   */
  public FlowGraph(CodeShape shape, Topology topology, RackRule rule, BitSet targetRacks) {
    int live = topology.liveRacks();
    int racks = targetRacks == null ? live : Math.min(live, targetRacks.cardinality());
    this.topology = topology;
    this.targets = targetRacks;
    this.blocksPerRackMax = rule.blocksPerRackMax();
    this.surplusMax = shape.total() - rule.racksRequired(shape.total(), racks);
    this.replicas = new int[shape.data()][];
    this.matched = new int[shape.data()];
    this.matchedRack = new int[shape.data()];
    this.taker = new int[shape.data()];
    this.takersNode = new int[shape.data()];
    this.queue = new int[shape.data()];
  }

  /** Returns the number of blocks added. */
  public int blocks() {
    return blocks;
  }

  /** Returns whether the graph has k blocks. */
  public boolean isFull() {
    return blocks == replicas.length;
  }

  /** Returns the node whose replica of a block is retained. */
  public int retained(int block) {
    if (block < 0 || block >= blocks) {
      throw new IndexOutOfBoundsException(
          "Cannot name the node of block " + block + ": the stripe has " + blocks);
    }
    return matched[block];
  }

  /**
   * Adds a block if one replica of each block can still be retained; otherwise changes nothing.
   *
   * @param nodes the nodes with a replica; nodes that cannot keep one are ignored
   * @return whether the block was added
   * @throws IllegalStateException if there are k blocks already
   */
  public boolean add(int... nodes) {
    if (isFull()) {
      throw new IllegalStateException(
          "Cannot add a block to a stripe: it has all of its " + blocks + " data blocks");
    }
    replicas[blocks] = nodes;
    matched[blocks] = -1;
    matchedRack[blocks] = -1;
    Arrays.fill(taker, 0, blocks + 1, -1);
    queue[0] = blocks;
    reached = 1;
    for (int head = 0; head < reached; head++) {
      if (expand(queue[head])) {
        blocks++;
        return true;
      }
    }
    replicas[blocks] = null;
    return false;
  }

  /** Removes the block added last. The matching of the other blocks stays valid. */
  public void removeLast() {
    if (blocks == 0) {
      throw new IllegalStateException("Cannot remove a block from a stripe: it has none");
    }
    replicas[--blocks] = null;
  }

  /**
   * Searches the places of a block; augments the flow and returns true if one of them ends the
   * path.
   */
  private boolean expand(int block) {
    for (int node : replicas[block]) {
      if (node == matched[block] || !mayStayOn(node)) {
        continue;
      }
      int holder = holder(node);
      if (holder >= 0) {
        reach(holder, block, node);
      } else if (takesRack(block, node)) {
        augment(block, node);
        return true;
      }
    }
    return false;
  }

  private boolean mayStayOn(int node) {
    return topology.hasNode(node)
        && topology.state(node).keeps()
        && (targets == null || targets.get(topology.rackOf(node)));
  }

  private int holder(int node) {
    for (int block = 0; block < blocks; block++) {
      if (matched[block] == node) {
        return block;
      }
    }
    return -1;
  }

  /**
   * Returns whether the node's rack has room; otherwise adds to the search the blocks whose move
   * would make room.
   */
  private boolean takesRack(int taking, int node) {
    int rack = topology.rackOf(node);
    int count = count(rack);
    if (count == 0) {
      return true;
    }
    boolean isSurplusFull = surplus() >= surplusMax;
    if (count < blocksPerRackMax && !isSurplusFull) {
      return true;
    }
    boolean isAnySurplusWanted = count < blocksPerRackMax;
    for (int block = 0; block < blocks; block++) {
      if (matchedRack[block] == rack || isAnySurplusWanted && count(matchedRack[block]) > 1) {
        reach(block, taking, node);
      }
    }
    return false;
  }

  private int count(int rack) {
    int count = 0;
    for (int block = 0; block < blocks; block++) {
      count += matchedRack[block] == rack ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns how many blocks are in a rack that has another block, not counting the first of each
   * rack.
   */
  private int surplus() {
    int surplus = 0;
    for (int block = 0; block < blocks; block++) {
      for (int other = 0; other < block; other++) {
        if (matchedRack[other] == matchedRack[block]) {
          surplus++;
          break;
        }
      }
    }
    return surplus;
  }

  private void reach(int block, int by, int node) {
    if (taker[block] < 0 && block != queue[0]) {
      taker[block] = by;
      takersNode[block] = node;
      queue[reached++] = block;
    }
  }

  private void augment(int last, int node) {
    int block = last;
    int target = node;
    while (block >= 0) {
      matched[block] = target;
      matchedRack[block] = topology.rackOf(target);
      target = takersNode[block];
      block = taker[block];
    }
  }
}
