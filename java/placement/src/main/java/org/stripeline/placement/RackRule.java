// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

/**
 * Which racks the blocks of a group may take. A group survives the failure of floor(m / c) racks,
 * where c is the most of its blocks in a rack; it needs at least n / c racks.
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
   * Returns the rule that a rack takes at most so many blocks of a group, in any racks.
   *
   * @param blocksPerRackMax c, at least 1
   * @throws IllegalArgumentException if it is less
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
   * @param racks how many racks there are, at least 1
   * @throws IllegalArgumentException if there is none
   */
  public static RackRule even(CodeShape shape, int racks) {
    if (racks < 1) {
      throw new IllegalArgumentException("Cannot spread blocks over " + racks + " racks");
    }
    int fair = (shape.total() + racks - 1) / racks;
    return atMost(fair).spread();
  }

  /**
   * Returns this rule and that a group has as many different racks as it has blocks, or all there
   * are. A NameNode with BlockPlacementPolicyRackFaultTolerant, its default for erasure-coded
   * files, copies blocks of groups that do not have them.
   */
  public RackRule spread() {
    return new RackRule(blocksPerRackMax, true, targetRacks);
  }

  /**
   * Returns this rule for so many target racks per group: all of its blocks are to be in them.
   *
   * @param count R', at least 1
   * @throws IllegalArgumentException if it is less
   */
  public RackRule inTargetRacks(int count) {
    if (count < 1) {
      throw new IllegalArgumentException(
          "Cannot place groups in " + count + " target racks: must be at least 1");
    }
    return new RackRule(blocksPerRackMax, isSpread, count);
  }

  /** Returns c, the most blocks of a group in one rack. */
  public int blocksPerRackMax() {
    return blocksPerRackMax;
  }

  /** Returns whether groups take as many racks as they can. */
  public boolean isSpread() {
    return isSpread;
  }

  /** Returns R', the number of racks that the blocks of a group are in; 0 where all may be. */
  public int targetRacks() {
    return targetRacks;
  }

  /**
   * Returns how many different racks a group must have.
   *
   * @param blocks how many blocks the group has
   * @param racks how many racks there are that have a live node
   */
  public int racksRequired(int blocks, int racks) {
    if (!isSpread) {
      return Math.min(blocks, 1);
    }
    int eligible = targetRacks == 0 ? racks : Math.min(targetRacks, racks);
    return Math.min(blocks, eligible);
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
