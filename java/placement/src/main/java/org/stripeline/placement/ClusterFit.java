// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/** Whether a cluster has nodes and racks enough for new groups of a code. Immutable. */
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

  /** Looks at the nodes that take new blocks. */
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

  /** Returns whether whole groups have a node for each of their blocks, in whatever racks. */
  public boolean isPossible() {
    return nodesUsable >= shape.total();
  }

  /** Returns whether they also keep the rack rule. */
  public boolean keepsRule() {
    return keepsRule;
  }

  /** Returns how many nodes a group needs: one for each block. */
  public int nodesNeeded() {
    return shape.total();
  }

  /** Returns how many nodes take new blocks. */
  public int nodesUsable() {
    return nodesUsable;
  }

  /** Returns how many racks the rule makes a group need at least. */
  public int racksNeeded() {
    return racksNeeded;
  }

  /** Returns how many racks have a node that takes new blocks. */
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
        + " racks, "
        + nodesUsable
        + " over "
        + racksUsable
        + " can be used";
  }
}
