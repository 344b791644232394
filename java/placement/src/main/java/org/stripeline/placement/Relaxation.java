// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

/** How far a layout deviates from the rack rule. */
public final class Relaxation {
  private final int racksRequired;
  private final int racksUsed;
  private final int blocksPerRackMax;
  private final int blocksPerRackMost;
  private final int blocksAboveMax;
  private final int blocksOffTarget;

  Relaxation(
      int racksRequired,
      int racksUsed,
      int blocksPerRackMax,
      int blocksPerRackMost,
      int blocksAboveMax,
      int blocksOffTarget) {
    this.racksRequired = racksRequired;
    this.racksUsed = racksUsed;
    this.blocksPerRackMax = blocksPerRackMax;
    this.blocksPerRackMost = blocksPerRackMost;
    this.blocksAboveMax = blocksAboveMax;
    this.blocksOffTarget = blocksOffTarget;
  }

  /** Returns whether the layout satisfies the rule. */
  public boolean isNone() {
    return racksMissing() == 0 && blocksAboveMax == 0 && blocksOffTarget == 0;
  }

  /** Returns how many racks the group uses fewer than required. */
  public int racksMissing() {
    return Math.max(0, racksRequired - racksUsed);
  }

  /** Returns the number of blocks beyond c in a rack, summed over racks. */
  public int blocksAboveMax() {
    return blocksAboveMax;
  }

  /** Returns how many blocks are outside the target racks. */
  public int blocksOffTarget() {
    return blocksOffTarget;
  }

  /** Returns the largest number of blocks in one rack. */
  public int blocksPerRackMost() {
    return blocksPerRackMost;
  }

  /** Returns a sentence for the operator. */
  @Override
  public String toString() {
    if (isNone()) {
      return "the rack rule is satisfied";
    }
    StringBuilder text = new StringBuilder();
    if (racksMissing() > 0) {
      text.append(racksUsed).append(" racks instead of ").append(racksRequired);
    }
    if (blocksAboveMax > 0) {
      text.append(text.length() == 0 ? "" : ", ")
          .append(blocksPerRackMost)
          .append(" blocks in a rack instead of at most ")
          .append(blocksPerRackMax);
    }
    if (blocksOffTarget > 0) {
      text.append(text.length() == 0 ? "" : ", ")
          .append(blocksOffTarget)
          .append(" blocks outside the target racks");
    }
    return text.toString();
  }
}
