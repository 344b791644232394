// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

/**
 * The number of blocks that the links of each rack still have to carry in and out for groups
 * planned before. Links between racks limit the speed of encoding, so a plan prefers, among
 * otherwise equal places, those whose links have less to carry. Not thread-safe.
 */
public final class RackTraffic {
  /** Idle links; nothing can be added to it. */
  public static final RackTraffic NONE = new RackTraffic(0);

  private final int[] in;
  private final int[] out;

  /**
   * Creates idle links.
   *
   * @param racks number of racks, as in the topology
   */
  public RackTraffic(int racks) {
    in = new int[racks];
    out = new int[racks];
  }

  /**
   * Adds blocks that a rack's link has to carry.
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
   * Adds the blocks that a plan moves between racks. Each block counts as read from the first node
   * of its read order.
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

  /** Returns how many blocks enter a rack; 0 for a rack that is not counted. */
  public int into(int rack) {
    return rack < in.length ? in[rack] : 0;
  }

  /** Returns how many blocks leave a rack. */
  public int outOf(int rack) {
    return rack < out.length ? out[rack] : 0;
  }

  /** Returns how many blocks cross a rack's link in either direction. */
  int through(int rack) {
    return into(rack) + outOf(rack);
  }
}
