// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/**
 * Plans how replicated blocks become a group of an erasure code: which replicas stay, which blocks
 * must be sent, where parity goes, who encodes. Of all layouts it takes, in this order,
 *
 * <ol>
 *   <li>one that keeps the rack rule, or breaks it least: first the number of different racks gives
 *       way, then target racks, last the most blocks per rack;
 *   <li>one that sends the fewest data blocks;
 *   <li>one that moves the fewest blocks across racks, reads of the encoder included; it gives way
 *       somewhat where the link of the core rack is busy with groups planned before.
 * </ol>
 *
 * <p>Nothing is remembered between calls: the locations given are the truth, whatever was intended
 * when the blocks were written.
 */
public final class GroupPlanner {
  /** Trying more core racks has not found better plans than the best of so many. */
  private static final int CORE_RACKS_MAX = 8;

  /**
   * What a block that crosses racks costs, in blocks that it would wait for: all groups pay for it,
   * the wait is one group's. At 1 the busiest link has no less to do than at 3 (RS-6-3 in 6 racks
   * to RS-10-4 in 20), and twice as much crosses racks in addition.
   */
  static final int CROSSING_WEIGHT = 3;

  private GroupPlanner() {}

  /**
   * Plans a group.
   *
   * @param shape the code
   * @param replicas of each data block of the group, in their order, the nodes that have a replica;
   *     1 to k blocks, fewer than k for the last group of a file
   * @param topology the nodes as they are now
   * @param rule which racks may be taken
   * @param random decides between equals, so that load is spread
   * @throws PlacementException if a block has no replica that can be read, or nodes are too few
   * @throws IllegalArgumentException if there are no blocks or more than k
   */
  public static GroupPlan plan(
      CodeShape shape, int[][] replicas, Topology topology, RackRule rule, SplittableRandom random)
      throws PlacementException {
    return plan(shape, replicas, topology, rule, null, RackTraffic.NONE, random);
  }

  /**
   * Plans a group while others are under way, or whose target racks are known.
   *
   * @param targetRacks the racks that its blocks are to be in; null lets the rule decide how many,
   *     and the replicas which
   * @param traffic what the links of racks have still to carry for groups planned before
   * @throws PlacementException if a block has no replica that can be read, or nodes are too few
   * @throws IllegalArgumentException if there are no blocks or more than k
   */
  public static GroupPlan plan(
      CodeShape shape,
      int[][] replicas,
      Topology topology,
      RackRule rule,
      BitSet targetRacks,
      RackTraffic traffic,
      SplittableRandom random)
      throws PlacementException {
    if (replicas.length < 1 || replicas.length > shape.data()) {
      throw new IllegalArgumentException(
          "Cannot plan a group of "
              + replicas.length
              + " data blocks: the code "
              + shape
              + " takes 1 to "
              + shape.data());
    }
    GroupReplicas readable = new GroupReplicas(replicas, topology);
    BitSet targets = targetRacks;
    if (targets == null && rule.targetRacks() > 0) {
      targets = TargetRacks.choose(shape, readable, topology, rule, random);
    }
    GroupTask task = new GroupTask(readable, shape.parity(), topology, rule, targets, traffic);
    return new Search(task, shape, random).run();
  }

  /** Looks for the core rack with which the fewest blocks cross racks and wait for its link. */
  private static final class Search {
    private final GroupTask task;
    private final CodeShape shape;
    private final SplittableRandom random;
    private final int[] racks;
    private GroupLayout best;
    private int bestCore;
    private int bestCost = Integer.MAX_VALUE;

    Search(GroupTask task, CodeShape shape, SplittableRandom random) {
      this.task = task;
      this.shape = shape;
      this.random = random;
      this.racks = task.racksToConsider(random);
    }

    GroupPlan run() throws PlacementException {
      int[] cores = CoreRacks.byBlocks(task, racks, random);
      for (int i = 0; i < Math.min(CORE_RACKS_MAX, cores.length); i++) {
        int reads = task.replicas().blocks() - task.replicas().blocksIn(cores[i]);
        int least = best == null ? 0 : CROSSING_WEIGHT * (reads + fewestFreshAcrossRacks());
        if (least >= bestCost) {
          break;
        }
        int waiting = task.traffic().through(cores[i]);
        if (least + waiting >= bestCost) {
          continue;
        }
        GroupLayout layout = new GroupLayout(task, racks, cores[i], random);
        if (!layout.solve()) {
          throw tooFewNodes(layout.placed());
        }
        int cost = waiting + CROSSING_WEIGHT * (reads + layout.freshAcrossRacks());
        if (cost < bestCost) {
          best = layout;
          bestCore = cores[i];
          bestCost = cost;
        }
      }
      if (best == null) {
        throw tooFewNodes(0);
      }
      return new PlanWriter(task, shape, racks, best, bestCore, random).write();
    }

    /** Returns how many new blocks leave the core rack at least; their number is known by now. */
    private int fewestFreshAcrossRacks() {
      int surplus = task.blocks() - task.racksRequired();
      int inOneRack = Math.min(task.rule().blocksPerRackMax(), 1 + surplus);
      return best.isRelaxed() ? 0 : Math.max(0, best.fresh() - inOneRack);
    }

    private PlacementException tooFewNodes(int placed) {
      return new PlacementException(
          "Cannot place a group of "
              + task.replicas().blocks()
              + " data and "
              + task.parity()
              + " parity blocks: it needs "
              + task.blocks()
              + " DataNodes, "
              + placed
              + " can be used ("
              + task.topology().openNodes()
              + " of "
              + task.topology().nodes()
              + " take new blocks)");
    }
  }
}
