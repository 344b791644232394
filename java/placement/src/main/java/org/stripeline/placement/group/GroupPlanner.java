// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/**
 * Plans how replicated blocks become a group of an erasure code: which replicas are retained, which
 * blocks are sent, which nodes get parity, and which node encodes. Selects, in this order,
 *
 * <ol>
 *   <li>a layout that satisfies the rack rule, or violates it least: the number of different racks
 *       is relaxed first, then the target racks, and the maximum number of blocks per rack last;
 *   <li>a layout that sends the fewest data blocks;
 *   <li>a layout that moves the fewest blocks across racks, including the encoder's reads; more of
 *       them are accepted where this avoids a core rack whose link is busy with groups planned
 *       before.
 * </ol>
 *
 * <p>No state is kept between calls: the given locations count, regardless of what was intended
 * when the blocks were written.
 */
public final class GroupPlanner {
  /** Maximum number of core racks to try. In measurements, more did not find better plans. */
  private static final int CORE_RACKS_MAX = 8;

  /**
   * Cost of a block that crosses racks, in blocks of waiting for the link of the core rack.
   * Crossing costs more because it delays all groups, whereas waiting delays only one. With a
   * weight of 1 the load of the busiest link is no lower than with 3 (RS-6-3 in 6 racks to RS-10-4
   * in 20), and twice as many additional blocks cross racks.
   */
  static final int CROSSING_WEIGHT = 3;

  private GroupPlanner() {}

  /**
   * Plans a group.
   *
   * @param shape the code
   * @param replicas for each data block of the group, in order, the nodes that have a replica; 1 to
   *     k blocks, fewer than k for the last group of a file
   * @param topology the current nodes
   * @param rule the racks that may be used
   * @param random selects among equal layouts, to spread load
   * @throws PlacementException if a block has no readable replica, or there are too few nodes
   * @throws IllegalArgumentException if there are no blocks or more than k
   */
  public static GroupPlan plan(
      CodeShape shape, int[][] replicas, Topology topology, RackRule rule, SplittableRandom random)
      throws PlacementException {
    return plan(shape, replicas, topology, rule, null, RackTraffic.NONE, random);
  }

  /**
   * Plans a group while other groups are being encoded, or with given target racks.
   *
   * @param targetRacks the target racks; if null, the rule gives their number and the replicas
   *     determine which racks are chosen
   * @param traffic the blocks that the links of racks still have to carry for groups planned before
   * @throws PlacementException if a block has no readable replica, or there are too few nodes
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

  /**
   * Searches the core rack with the lowest cost: blocks that cross racks, weighted, plus blocks
   * that its link still has to carry.
   */
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

    /**
     * Returns the minimum number of new blocks that leave the core rack, given the number of new
     * blocks in the best layout so far.
     */
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
