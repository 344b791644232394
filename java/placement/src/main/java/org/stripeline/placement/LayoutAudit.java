// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/** Counts how many stripes satisfy a rack rule and how the others violate it. Not thread-safe. */
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

  /** Creates an audit without stripes. */
  public LayoutAudit(Topology topology, RackRule rule) {
    this.topology = topology;
    this.rule = rule;
  }

  /**
   * Adds a stripe.
   *
   * @param nodes as for {@link StripeAudit#of}
   * @param parity m
   * @return the result for this stripe
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

  /** Returns the number of stripes added. */
  public long stripes() {
    return stripes;
  }

  /** Returns how many stripes have all blocks on different nodes and satisfy the rule. */
  public long sound() {
    return sound;
  }

  /** Returns how many stripes have at least one block on no live node. */
  public long withMissingBlocks() {
    return withMissing;
  }

  /** Returns how many stripes have two blocks on one node. */
  public long withDoubledNodes() {
    return withDoubled;
  }

  /** Returns how many stripes are in fewer racks than the rule requires. */
  public long withFewRacks() {
    return withFewRacks;
  }

  /** Returns how many stripes have more than c blocks in a rack. */
  public long withCrowdedRacks() {
    return withCrowdedRack;
  }

  /** Returns how many stripes are in more racks than the rule's number of target racks. */
  public long offTarget() {
    return offTarget;
  }

  /** Returns how many stripes miss more blocks than they have parity blocks. */
  public long lost() {
    return lost;
  }

  /** Returns the total number of blocks beyond c in a rack, over all stripes. */
  public long blocksAboveMax() {
    return blocksAboveMax;
  }

  /**
   * Returns how many stripes survive the failure of any {@code failures} racks, but not of any
   * {@code failures + 1}.
   */
  public long withRackFailuresTolerated(int failures) {
    return failures < byRackFailures.length ? byRackFailures[failures] : 0;
  }

  @Override
  public String toString() {
    return sound
        + " of "
        + stripes
        + " stripes satisfy the rule ("
        + rule
        + "); "
        + withMissing
        + " lack blocks, "
        + withDoubled
        + " have two blocks on a node, "
        + withCrowdedRack
        + " too many blocks in a rack, "
        + withFewRacks
        + " too few racks, "
        + (byRackFailures[0] + lost)
        + " do not survive the failure of any rack";
  }
}
