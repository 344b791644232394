// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

/**
 * The result of a task that did not fail: the compared units are equal, or the position of the
 * first difference. The result of tasks that compare nothing is sound.
 */
public final class ComparisonResult {
  static final ComparisonResult SOUND = new ComparisonResult(-1, -1);

  private final int parityUnit;
  private final int offset;

  private ComparisonResult(int parityUnit, int offset) {
    this.parityUnit = parityUnit;
    this.offset = offset;
  }

  static ComparisonResult mismatch(int parityUnit, int offset) {
    return new ComparisonResult(parityUnit, offset);
  }

  /** Returns whether there is no difference. */
  public boolean isSound() {
    return parityUnit < 0;
  }

  /** Returns the index, among the parity units, of the unit that differs first, or -1. */
  public int parityUnit() {
    return parityUnit;
  }

  /** Returns the lowest offset of a difference, in bytes from the start of the units, or -1. */
  public int offset() {
    return offset;
  }

  @Override
  public String toString() {
    return isSound() ? "sound" : "parity unit " + parityUnit + " differs at offset " + offset;
  }
}
