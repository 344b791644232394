// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

/**
 * How many blocks the links of each rack have still to carry in and out for groups planned before.
 * Links between racks are what encoding waits for, so of places that are as good otherwise a plan
 * takes those whose links have less to do. Not thread-safe.
 */
public final class RackTraffic {
  /** Links that have nothing to do; nothing can be added to it. */
  public static final RackTraffic NONE = new RackTraffic(0);

  private final int[] in;
  private final int[] out;

  /**
   * Begins with links that have nothing to do.
   *
   * @param racks number of racks, as the topology counts them
   */
  public RackTraffic(int racks) {
    in = new int[racks];
    out = new int[racks];
  }

  /**
   * Adds blocks to what a rack's link has to do.
   *
   * @param rack below the number of racks
   * @param into blocks that come from other racks
   * @param outOf blocks that go to other racks
   */
  public void add(int rack, int into, int outOf) {
    in[rack] += into;
    out[rack] += outOf;
  }

  /**
   * Adds what a plan moves between racks. Replicas are taken from the nodes that the plan reads
   * first.
   */
  public void add(GroupPlan plan) {
    int core = plan.coreRack();
    for (int block = 0; block < plan.dataBlocks(); block++) {
      addMove(plan.rackOf(plan.readFrom(block)), core);
      if (!plan.isAdopted(block)) {
        addMove(core, plan.rackOf(plan.dataNode(block)));
      }
    }
    for (int block = 0; block < plan.shape().parity(); block++) {
      addMove(core, plan.rackOf(plan.parityNode(block)));
    }
  }

  private void addMove(int from, int to) {
    if (from != to) {
      add(from, 0, 1);
      add(to, 1, 0);
    }
  }

  /** Returns how many blocks come into a rack; none come into one that is not counted. */
  public int into(int rack) {
    return rack < in.length ? in[rack] : 0;
  }

  /** Returns how many blocks go out of a rack. */
  public int outOf(int rack) {
    return rack < out.length ? out[rack] : 0;
  }

  /** Returns how many blocks cross a rack's link in either direction. */
  int through(int rack) {
    return into(rack) + outOf(rack);
  }
}
