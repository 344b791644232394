// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Objects;

/**
 * Which racks the blocks of a group may use. A group survives the failure of floor(m / c) racks,
 * where c is the maximum number of its blocks in one rack; it needs at least n / c racks.
 */
public final class RackRule {
  private final int blocksPerRackMax;
  private final boolean isSpread;
  private final int targetRacks;

  private RackRule(int blocksPerRackMax, boolean isSpread, int targetRacks) {
    this.blocksPerRackMax = blocksPerRackMax;
    this.isSpread = isSpread;
    this.targetRacks = targetRacks;
  }

  /**
   * Returns the rule that a rack holds at most c blocks of a group, in any racks.
   *
   * @param blocksPerRackMax c, at least 1
   * @throws IllegalArgumentException if it is less than 1
   */
  public static RackRule atMost(int blocksPerRackMax) {
    if (blocksPerRackMax < 1) {
      throw new IllegalArgumentException(
          "Cannot allow " + blocksPerRackMax + " blocks of a group per rack: must be at least 1");
    }
    return new RackRule(blocksPerRackMax, false, 0);
  }

  /**
   * Returns the rule of HDFS for erasure-coded files: blocks spread evenly over all racks.
   *
   * @param shape the code
   * @param racks the number of racks, at least 1
   * @throws IllegalArgumentException if it is less than 1
   */
  public static RackRule even(CodeShape shape, int racks) {
    if (racks < 1) {
      throw new IllegalArgumentException("Cannot spread blocks over " + racks + " racks");
    }
    int fair = (shape.total() + racks - 1) / racks;
    return atMost(fair).spread();
  }

  /**
   * Returns this rule with the additional requirement that a group uses as many different racks as
   * it has blocks, or all racks if there are fewer. A NameNode with
   * BlockPlacementPolicyRackFaultTolerant, its default for erasure-coded files, copies blocks of
   * groups that use fewer racks.
   */
  public RackRule spread() {
    return new RackRule(blocksPerRackMax, true, targetRacks);
  }

  /**
   * Returns this rule with a number of target racks per group: all blocks of a group must be in its
   * target racks.
   *
   * @param count R', at least 1
   * @throws IllegalArgumentException if it is less than 1
   */
  public RackRule inTargetRacks(int count) {
    if (count < 1) {
      throw new IllegalArgumentException(
          "Cannot place groups in " + count + " target racks: must be at least 1");
    }
    return new RackRule(blocksPerRackMax, isSpread, count);
  }

  /** Returns c, the maximum number of blocks of a group in one rack. */
  public int blocksPerRackMax() {
    return blocksPerRackMax;
  }

  /** Returns whether groups must use as many racks as possible. */
  public boolean isSpread() {
    return isSpread;
  }

  /** Returns R', the number of target racks of a group; 0 if all racks are allowed. */
  public int targetRacks() {
    return targetRacks;
  }

  /**
   * Returns how many different racks a group must use.
   *
   * @param blocks the number of blocks of the group
   * @param racks the number of racks that have a live node
   */
  public int racksRequired(int blocks, int racks) {
    if (!isSpread) {
      return Math.min(blocks, 1);
    }
    int eligible = targetRacks == 0 ? racks : Math.min(targetRacks, racks);
    return Math.min(blocks, eligible);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RackRule
        && ((RackRule) other).blocksPerRackMax == blocksPerRackMax
        && ((RackRule) other).isSpread == isSpread
        && ((RackRule) other).targetRacks == targetRacks;
  }

  @Override
  public int hashCode() {
    return Objects.hash(blocksPerRackMax, isSpread, targetRacks);
  }

  @Override
  public String toString() {
    return "at most "
        + blocksPerRackMax
        + " per rack"
        + (isSpread ? ", spread" : "")
        + (targetRacks == 0 ? "" : ", " + targetRacks + " target racks");
  }
}
