// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

/** The number of data blocks (k) and parity blocks (m) in a group of an erasure code; n = k + m. */
public final class CodeShape {
  /** Maximum number of blocks in a group of a code over GF(2^8). */
  public static final int BLOCKS_MAX = 256;

  private final int data;
  private final int parity;

  private CodeShape(int data, int parity) {
    this.data = data;
    this.parity = parity;
  }

  /**
   * Returns the shape of a code such as RS-k-m.
   *
   * @param data k, at least 1
   * @param parity m, at least 1; k + m is at most {@link #BLOCKS_MAX}
   * @throws IllegalArgumentException if a number is out of range
   */
  public static CodeShape ofDataAndParity(int data, int parity) {
    if (data < 1 || parity < 1 || data > BLOCKS_MAX - parity) {
      throw new IllegalArgumentException(
          "Cannot use a code of "
              + data
              + " data and "
              + parity
              + " parity blocks: each must be at least 1, both together at most "
              + BLOCKS_MAX);
    }
    return new CodeShape(data, parity);
  }

  /** Returns how many different racks a group needs to survive the failure of one rack. */
  public int racksForRackFailure() {
    return (total() + parity - 1) / parity;
  }

  /** Returns k. */
  public int data() {
    return data;
  }

  /** Returns m. */
  public int parity() {
    return parity;
  }

  /** Returns n, the sum of k and m. */
  public int total() {
    return data + parity;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CodeShape
        && ((CodeShape) other).data == data
        && ((CodeShape) other).parity == parity;
  }

  @Override
  public int hashCode() {
    return data * BLOCKS_MAX + parity;
  }

  @Override
  public String toString() {
    return data + "+" + parity;
  }
}
