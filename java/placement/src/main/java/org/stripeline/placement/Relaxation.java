// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

/** By how much a layout breaks the rule that it was to keep. */
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

  /** Returns whether the rule is kept after all. */
  public boolean isNone() {
    return racksMissing() == 0 && blocksAboveMax == 0 && blocksOffTarget == 0;
  }

  /** Returns how many racks more the group should be in. */
  public int racksMissing() {
    return Math.max(0, racksRequired - racksUsed);
  }

  /** Returns how many blocks are in a rack that has c of the group without them. */
  public int blocksAboveMax() {
    return blocksAboveMax;
  }

  /** Returns how many blocks are outside the target racks. */
  public int blocksOffTarget() {
    return blocksOffTarget;
  }

  /** Returns the most blocks that a rack has. */
  public int blocksPerRackMost() {
    return blocksPerRackMost;
  }

  /** Returns a sentence for the operator. */
  @Override
  public String toString() {
    if (isNone()) {
      return "the rack rule is kept";
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
