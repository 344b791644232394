// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.FlowGraph;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/**
 * Groups blocks that were written without regard to encoding into stripes: blocks that have a
 * replica in a common rack and of each of which one replica can be retained. Every block is in at
 * least two racks, so that most blocks of a large pool find others. Greedy, in one pass: a block is
 * added to the fullest open group of one of its racks that accepts it. At the end, the remaining
 * blocks are grouped once more. Not thread-safe.
 */
final class PosthocGrouping {
  /** Maximum number of open groups per rack. */
  private static final int OPEN_PER_RACK_MAX = 4;

  /** Maximum number of displaced groups whose blocks are grouped again. */
  private static final int DISPLACED_MAX = 1000;

  private final CodeShape shape;
  private final RackRule rule;
  private final Topology topology;
  private final List<List<Open>> openByRack;

  /** Groups that were displaced by others; their blocks are grouped again at the end. */
  private final List<Open> displaced = new ArrayList<>();

  /**
   * Creates a grouping without blocks.
   *
   * @param rule the racks that a group may use; its number of target racks is ignored
   */
  PosthocGrouping(CodeShape shape, RackRule rule, Topology topology) {
    this.shape = shape;
    this.rule = rule;
    this.topology = topology;
    this.openByRack = new ArrayList<>(topology.racks());
    for (int rack = 0; rack < topology.racks(); rack++) {
      openByRack.add(new ArrayList<>(1));
    }
  }

  /**
   * Adds a block.
   *
   * @param block the caller's number for it
   * @param replicas the nodes that hold it
   * @return the group that this block completes, null if there is none
   */
  BlockSet add(long block, int... replicas) {
    int[] racks = racks(replicas);
    Open best = null;
    for (int rack : racks) {
      for (Open open : openByRack.get(rack)) {
        if ((best == null || open.graph.blocks() > best.graph.blocks()) && open.takes(replicas)) {
          best = open;
        }
      }
    }
    if (best == null) {
      best = begin(racks, replicas);
    }
    if (best == null) {
      return null;
    }
    best.add(block, replicas);
    if (!best.graph.isFull()) {
      return null;
    }
    openByRack.get(best.rack).remove(best);
    return best.close();
  }

  private Open begin(int[] racks, int[] replicas) {
    Open begun = null;
    int fewest = Integer.MAX_VALUE;
    for (int rack : racks) {
      if (openByRack.get(rack).size() < fewest) {
        fewest = openByRack.get(rack).size();
        begun = new Open(rack);
      }
    }
    if (begun == null || !begun.takes(replicas)) {
      return null;
    }
    List<Open> open = openByRack.get(begun.rack);
    if (open.size() == OPEN_PER_RACK_MAX) {
      // Displacing the group with the fewest blocks loses the least work.
      Open emptiest =
          Collections.min(
              open, (one, other) -> Integer.compare(one.graph.blocks(), other.graph.blocks()));
      open.remove(emptiest);
      if (displaced.size() < DISPLACED_MAX) {
        displaced.add(emptiest);
      }
    }
    open.add(begun);
    return begun;
  }

  /**
   * Ends the pass: groups the blocks of incomplete groups again, rack by rack.
   *
   * @return the groups that this completes; blocks that are in no group returned so far remain
   *     ungrouped
   */
  List<BlockSet> finish() {
    List<Open> left = new ArrayList<>(displaced);
    displaced.clear();
    for (List<Open> open : openByRack) {
      left.addAll(open);
      open.clear();
    }
    List<BlockSet> found = new ArrayList<>();
    Rest rest = new Rest(left);
    for (int rack = rest.richestRack(); rack >= 0; rack = rest.richestRack()) {
      BlockSet group = rest.take(new Open(rack));
      if (group == null) {
        rest.giveUp(rack);
      } else {
        found.add(group);
      }
    }
    return found;
  }

  private int[] racks(int[] replicas) {
    int[] racks = new int[replicas.length];
    int count = 0;
    for (int node : replicas) {
      if (topology.hasNode(node) && topology.state(node).isReadable()) {
        int rack = topology.rackOf(node);
        boolean isNew = true;
        for (int i = 0; i < count; i++) {
          isNew &= racks[i] != rack;
        }
        if (isNew) {
          racks[count++] = rack;
        }
      }
    }
    return Arrays.copyOf(racks, count);
  }

  /** A group with fewer than k blocks so far. */
  private final class Open {
    final int rack;
    final FlowGraph graph = new FlowGraph(shape, topology, rule, null);
    final long[] blocks = new long[shape.data()];
    final int[][] replicas = new int[shape.data()][];

    Open(int rack) {
      this.rack = rack;
    }

    boolean takes(int[] nodes) {
      boolean takes = graph.add(nodes);
      if (takes) {
        graph.removeLast();
      }
      return takes;
    }

    void add(long block, int[] nodes) {
      blocks[graph.blocks()] = block;
      replicas[graph.blocks()] = nodes;
      graph.add(nodes);
    }

    BlockSet close() {
      int[] retained = new int[blocks.length];
      for (int i = 0; i < retained.length; i++) {
        retained[i] = graph.retained(i);
      }
      return new BlockSet(rack, blocks, retained);
    }
  }

  /** The blocks of groups that did not become full. */
  private final class Rest {
    private final List<Long> blocks = new ArrayList<>();
    private final List<int[]> replicas = new ArrayList<>();
    private final int[] blocksIn = new int[topology.racks()];

    Rest(List<Open> open) {
      for (Open group : open) {
        for (int i = 0; i < group.graph.blocks(); i++) {
          blocks.add(group.blocks[i]);
          replicas.add(group.replicas[i]);
          count(group.replicas[i], 1);
        }
      }
    }

    private void count(int[] nodes, int by) {
      for (int rack : racks(nodes)) {
        // A negative count marks a rack that was given up and stays negative.
        blocksIn[rack] += blocksIn[rack] < 0 ? 0 : by;
      }
    }

    /** Returns the rack with the most blocks, -1 if none has k. */
    int richestRack() {
      int richest = -1;
      for (int rack = 0; rack < blocksIn.length; rack++) {
        boolean isRicher = richest < 0 || blocksIn[rack] > blocksIn[richest];
        richest = blocksIn[rack] >= shape.data() && isRicher ? rack : richest;
      }
      return richest;
    }

    void giveUp(int rack) {
      blocksIn[rack] = -1;
    }

    /**
     * Fills a group with blocks of its rack and removes them; returns null and removes nothing if
     * they do not fill it.
     */
    BlockSet take(Open group) {
      List<Integer> taken = new ArrayList<>();
      for (int i = 0; i < blocks.size() && !group.graph.isFull(); i++) {
        if (isIn(replicas.get(i), group.rack) && group.takes(replicas.get(i))) {
          group.add(blocks.get(i), replicas.get(i));
          taken.add(i);
        }
      }
      if (!group.graph.isFull()) {
        return null;
      }
      for (int i = taken.size() - 1; i >= 0; i--) {
        int index = taken.get(i);
        count(replicas.get(index), -1);
        blocks.remove(index);
        replicas.remove(index);
      }
      return group.close();
    }

    private boolean isIn(int[] nodes, int rack) {
      for (int other : racks(nodes)) {
        if (other == rack) {
          return true;
        }
      }
      return false;
    }
  }
}
