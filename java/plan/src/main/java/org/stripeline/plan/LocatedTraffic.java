// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.SplittableRandom;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.plan.source.PlannedFile;

/**
 * Computes traffic from the actual locations of replicas: each group is planned as a conversion
 * would plan it.
 */
final class LocatedTraffic extends TrafficModel {
  /**
   * An arbitrary fixed seed: random numbers only spread load, and repeated plans should have the
   * same result.
   */
  private static final long SEED = 5;

  /** The nodes that are known so far. */
  interface Nodes {
    /** Returns all nodes that appear in the locations of files so far. */
    Topology topology();
  }

  private final Nodes nodes;
  private final RackRules rules;
  private final boolean isRuleGiven;
  private final boolean knowsAllNodes;
  private final SplittableRandom random = new SplittableRandom(SEED);

  /**
   * Creates a model.
   *
   * @param rules the rules of the NameNode
   * @param blocksPerRackMax c, if another rule is to be planned for; otherwise 0
   * @param knowsAllNodes whether there are no nodes besides those that are known
   */
  LocatedTraffic(Nodes nodes, RackRules rules, int blocksPerRackMax, boolean knowsAllNodes) {
    super(blocksPerRackMax);
    this.knowsAllNodes = knowsAllNodes;
    this.nodes = nodes;
    this.rules = rules;
    this.isRuleGiven = blocksPerRackMax > 0;
  }

  @Override
  RackRule rule(PlannedFile file, CodeShape shape, int dataBlocks) {
    return isRuleGiven ? rule(shape) : rules.rule(file.path(), shape, dataBlocks, racks());
  }

  @Override
  int racks() {
    return Math.max(1, nodes.topology().liveRacks());
  }

  @Override
  boolean isExpected() {
    return false;
  }

  @Override
  boolean knowsAllNodes() {
    return knowsAllNodes;
  }

  @Override
  int racksOf(PlannedFile file, int block) {
    int[] holders = file.replicas(block);
    Topology topology = nodes.topology();
    int count = 0;
    for (int i = 0; i < holders.length; i++) {
      boolean isNew = true;
      for (int j = 0; isNew && j < i; j++) {
        isNew = topology.rackOf(holders[j]) != topology.rackOf(holders[i]);
      }
      count += isNew ? 1 : 0;
    }
    return Math.min(count, racks());
  }

  @Override
  void addAdoption(PlannedFile file, int start, int end, CodeName code, ConversionTraffic sums) {
    Topology topology = nodes.topology();
    GroupPlan plan;
    try {
      int[][] replicas = file.replicas(start, end);
      RackRule rule = rule(file, code.shape(), end - start);
      plan = GroupPlanner.plan(code.shape(), replicas, topology, rule, random);
    } catch (PlacementException e) {
      sums.unplaceable++;
      if (sums.unplaceableReason == null) {
        sums.unplaceableReason = file.path() + ": " + e.getMessage();
      }
      return;
    }
    sums.ruleBroken += plan.relaxation().isNone() ? 0 : 1;
    for (int i = 0; i < end - start; i++) {
      double bytes = file.bytesOfBlock(start + i);
      int nearest = plan.readOrder(i)[0];
      sums.adoptAcross += topology.rackOf(nearest) == plan.coreRack() ? 0 : bytes;
      sums.adoptNetwork += nearest == plan.encoder() ? 0 : bytes;
      if (plan.isAdopted(i)) {
        sums.adoptedBlocks++;
        sums.adoptedBytes += bytes;
      } else {
        sums.sentBlocks++;
        sums.sentBytes += bytes;
        sums.adoptNetwork += bytes;
        sums.adoptAcross += topology.rackOf(plan.dataNode(i)) == plan.coreRack() ? 0 : bytes;
      }
    }
    double parityLength = file.longest(start, end);
    sums.adoptAcross += plan.crossRackParity() * parityLength;
    sums.adoptNetwork += code.parity() * parityLength;
  }
}
