// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/** Sums up how many stripes lie as a rack rule wants them. Not thread-safe. */
public final class LayoutAudit {
  private final Topology topology;
  private final RackRule rule;
  private long stripes;
  private long sound;
  private long withMissing;
  private long withDoubled;
  private long withFewRacks;
  private long withCrowdedRack;
  private long offTarget;
  private long lost;
  private long blocksAboveMax;
  private long[] byRackFailures = new long[4];

  /** Creates an audit of no stripes. */
  public LayoutAudit(Topology topology, RackRule rule) {
    this.topology = topology;
    this.rule = rule;
  }

  /**
   * Adds a stripe.
   *
   * @param nodes as {@link StripeAudit#of} takes them
   * @param parity m
   * @return what is found
   */
  public StripeAudit add(int[] nodes, int parity) {
    StripeAudit audit = StripeAudit.of(nodes, parity, topology, rule);
    Relaxation relaxation = audit.relaxation();
    stripes++;
    sound += audit.isSound() ? 1 : 0;
    withMissing += audit.blocksMissing() > 0 ? 1 : 0;
    withDoubled += audit.nodesDoubled() > 0 ? 1 : 0;
    withFewRacks += relaxation.racksMissing() > 0 ? 1 : 0;
    withCrowdedRack += relaxation.blocksAboveMax() > 0 ? 1 : 0;
    offTarget += relaxation.blocksOffTarget() > 0 ? 1 : 0;
    blocksAboveMax += relaxation.blocksAboveMax();
    int failures = audit.rackFailuresTolerated();
    if (failures < 0) {
      lost++;
    } else {
      if (failures >= byRackFailures.length) {
        byRackFailures = Arrays.copyOf(byRackFailures, 2 * failures);
      }
      byRackFailures[failures]++;
    }
    return audit;
  }

  /** Returns how many stripes there are. */
  public long stripes() {
    return stripes;
  }

  /** Returns how many stripes have all blocks on different nodes as the rule wants them. */
  public long sound() {
    return sound;
  }

  /** Returns how many stripes have a block on no live node. */
  public long withMissingBlocks() {
    return withMissing;
  }

  /** Returns how many stripes have a node with two blocks. */
  public long withDoubledNodes() {
    return withDoubled;
  }

  /** Returns how many stripes are in fewer racks than they should. */
  public long withFewRacks() {
    return withFewRacks;
  }

  /** Returns how many stripes have a rack with more than c blocks. */
  public long withCrowdedRacks() {
    return withCrowdedRack;
  }

  /** Returns how many stripes are in more racks than there are target racks. */
  public long offTarget() {
    return offTarget;
  }

  /** Returns how many stripes miss more blocks than they have parity. */
  public long lost() {
    return lost;
  }

  /** Returns how many blocks are in a rack that has c of their stripe without them. */
  public long blocksAboveMax() {
    return blocksAboveMax;
  }

  /** Returns how many stripes survive the failure of so many racks but not of one more. */
  public long withRackFailuresTolerated(int failures) {
    return failures < byRackFailures.length ? byRackFailures[failures] : 0;
  }

  @Override
  public String toString() {
    return sound
        + " of "
        + stripes
        + " stripes keep the rule ("
        + rule
        + "); "
        + withMissing
        + " miss blocks, "
        + withDoubled
        + " have two on a node, "
        + withCrowdedRack
        + " too many in a rack, "
        + withFewRacks
        + " too few racks, "
        + (byRackFailures[0] + lost)
        + " survive no rack's failure";
  }
}
