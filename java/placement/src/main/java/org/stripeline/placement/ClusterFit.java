// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/** Checks whether a cluster has enough nodes and racks for new groups of a code. Immutable. */
public final class ClusterFit {
  private final CodeShape shape;
  private final int racksNeeded;
  private final int nodesUsable;
  private final int racksUsable;
  private final boolean keepsRule;

  private ClusterFit(
      CodeShape shape, int racksNeeded, int nodesUsable, int racksUsable, boolean keepsRule) {
    this.shape = shape;
    this.racksNeeded = racksNeeded;
    this.nodesUsable = nodesUsable;
    this.racksUsable = racksUsable;
    this.keepsRule = keepsRule;
  }

  /** Counts the nodes and racks that accept new blocks. */
  public static ClusterFit of(CodeShape shape, Topology topology, RackRule rule) {
    int most = rule.blocksPerRackMax();
    int[] places = new int[topology.racks()];
    int usable = 0;
    for (int rack = 0; rack < places.length; rack++) {
      places[rack] = Math.min(most, topology.open(rack));
      usable += places[rack] > 0 ? 1 : 0;
    }
    Arrays.sort(places);
    int targets = rule.targetRacks() == 0 ? places.length : rule.targetRacks();
    int placeable = 0;
    for (int i = places.length - 1; i >= Math.max(0, places.length - targets); i--) {
      placeable += places[i];
    }
    int needed = (shape.total() + most - 1) / most;
    boolean isSpread = usable >= rule.racksRequired(shape.total(), topology.liveRacks());
    return new ClusterFit(
        shape, needed, topology.openNodes(), usable, isSpread && placeable >= shape.total());
  }

  /**
   * Returns whether there are enough nodes to place each block of a full group on its own node,
   * regardless of racks.
   */
  public boolean isPossible() {
    return nodesUsable >= shape.total();
  }

  /** Returns whether full groups can also satisfy the rack rule. */
  public boolean keepsRule() {
    return keepsRule;
  }

  /** Returns how many nodes a group needs: one for each block. */
  public int nodesNeeded() {
    return shape.total();
  }

  /** Returns how many nodes accept new blocks. */
  public int nodesUsable() {
    return nodesUsable;
  }

  /** Returns the minimum number of racks that the rule requires for a group. */
  public int racksNeeded() {
    return racksNeeded;
  }

  /** Returns how many racks have a node that accepts new blocks. */
  public int racksUsable() {
    return racksUsable;
  }

  /** Returns a sentence for the operator. */
  @Override
  public String toString() {
    return shape
        + " needs "
        + nodesNeeded()
        + " DataNodes over "
        + racksNeeded
        + (racksNeeded == 1 ? " rack, " : " racks, ")
        + nodesUsable
        + " over "
        + racksUsable
        + " can be used";
  }
}
