// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/** The layout of one stripe's blocks and its violations of a rack rule. Immutable. */
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
   * @param nodes the node of each block, data and parity; for a missing block, the number of a dead
   *     node or a number that is no node
   * @param parity m, the number of blocks that may be lost
   * @param rule the rule to check; its number of target racks limits how many racks the stripe may
   *     use
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

  /** Computes the deviation of a layout given by the number of blocks in each rack. */
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

  /** Returns the number of blocks in each rack that has any, in ascending order. */
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

  /**
   * Returns how many racks may fail, regardless of which; -1 if more blocks are lost already than
   * can be decoded.
   */
  public static int tolerated(int[] countsAscending, int losable) {
    int left = losable;
    int failures = left < 0 ? -1 : 0;
    for (int i = countsAscending.length - 1; i >= 0 && left >= countsAscending[i]; i--) {
      left -= countsAscending[i];
      failures++;
    }
    return failures;
  }

  /** Returns whether all blocks are present, on different nodes, and satisfy the rule. */
  public boolean isSound() {
    return blocksMissing == 0 && nodesDoubled == 0 && relaxation.isNone();
  }

  /** Returns how many blocks are on no live node. */
  public int blocksMissing() {
    return blocksMissing;
  }

  /** Returns how many blocks are on a node that holds another block of the stripe. */
  public int nodesDoubled() {
    return nodesDoubled;
  }

  /** Returns how many different racks the blocks use. */
  public int racksUsed() {
    return racksUsed;
  }

  /**
   * Returns how many racks may fail at the same time, regardless of which, without data loss; -1 if
   * more blocks are missing than there are parity blocks.
   */
  public int rackFailuresTolerated() {
    return rackFailuresTolerated;
  }

  /** Returns how the blocks that are present violate the rack rule. */
  public Relaxation relaxation() {
    return relaxation;
  }
}
