// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/** How the blocks of one stripe lie, and what of a rack rule they break. Immutable. */
public final class StripeAudit {
  private final int blocksMissing;
  private final int nodesDoubled;
  private final int racksUsed;
  private final int rackFailuresTolerated;
  private final Relaxation relaxation;

  private StripeAudit(
      int blocksMissing,
      int nodesDoubled,
      int racksUsed,
      int rackFailuresTolerated,
      Relaxation relaxation) {
    this.blocksMissing = blocksMissing;
    this.nodesDoubled = nodesDoubled;
    this.racksUsed = racksUsed;
    this.rackFailuresTolerated = rackFailuresTolerated;
    this.relaxation = relaxation;
  }

  /**
   * Audits a stripe.
   *
   * @param nodes the node of each block, data and parity; any number that is no node, or that of a
   *     dead one, for a block that is missing
   * @param parity m, how many blocks may be lost
   * @param rule what was wanted; the number of target racks limits how many racks are
   */
  public static StripeAudit of(int[] nodes, int parity, Topology topology, RackRule rule) {
    int[] present = new int[nodes.length];
    int count = 0;
    for (int node : nodes) {
      if (topology.hasNode(node) && topology.state(node).isReadable()) {
        present[count++] = node;
      }
    }
    Arrays.sort(present, 0, count);
    int doubled = 0;
    int[] racks = new int[count];
    for (int i = 0; i < count; i++) {
      doubled += i > 0 && present[i] == present[i - 1] ? 1 : 0;
      racks[i] = topology.rackOf(present[i]);
    }
    int[] counts = countsAscending(racks);
    int missing = nodes.length - count;
    int targets = rule.targetRacks() == 0 ? counts.length : rule.targetRacks();
    int offTarget = 0;
    for (int i = 0; i < counts.length - targets; i++) {
      offTarget += counts[i];
    }
    int required = rule.racksRequired(nodes.length, topology.liveRacks());
    return new StripeAudit(
        missing,
        doubled,
        counts.length,
        tolerated(counts, parity - missing),
        relaxation(counts, rule, required, offTarget));
  }

  /** Measures a layout given by the rack of each block. */
  public static Relaxation relaxation(
      int[] counts, RackRule rule, int racksRequired, int offTarget) {
    int above = 0;
    int most = 0;
    for (int count : counts) {
      above += Math.max(0, count - rule.blocksPerRackMax());
      most = Math.max(most, count);
    }
    return new Relaxation(
        racksRequired, counts.length, rule.blocksPerRackMax(), most, above, offTarget);
  }

  /** Returns how many blocks each rack has that has any, fewest first. */
  public static int[] countsAscending(int[] racks) {
    int[] sorted = racks.clone();
    Arrays.sort(sorted);
    int[] counts = new int[sorted.length];
    int used = 0;
    for (int i = 0; i < sorted.length; i++) {
      used += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
      counts[used - 1]++;
    }
    counts = Arrays.copyOf(counts, used);
    Arrays.sort(counts);
    return counts;
  }

  /** Returns how many racks may fail, whichever they are; -1 if too much is lost already. */
  public static int tolerated(int[] countsAscending, int losable) {
    int left = losable;
    int failures = left < 0 ? -1 : 0;
    for (int i = countsAscending.length - 1; i >= 0 && left >= countsAscending[i]; i--) {
      left -= countsAscending[i];
      failures++;
    }
    return failures;
  }

  /** Returns whether all blocks are there, on different nodes, as the rule wants them. */
  public boolean isSound() {
    return blocksMissing == 0 && nodesDoubled == 0 && relaxation.isNone();
  }

  /** Returns how many blocks are on no live node. */
  public int blocksMissing() {
    return blocksMissing;
  }

  /** Returns how many blocks are on a node that has another one. */
  public int nodesDoubled() {
    return nodesDoubled;
  }

  /** Returns how many different racks there are. */
  public int racksUsed() {
    return racksUsed;
  }

  /**
   * Returns how many racks may fail at once, whichever they are, without data being lost; -1 if
   * more blocks are missing than there is parity.
   */
  public int rackFailuresTolerated() {
    return rackFailuresTolerated;
  }

  /** Returns what of the rack rule is broken by the blocks that are there. */
  public Relaxation relaxation() {
    return relaxation;
  }
}
