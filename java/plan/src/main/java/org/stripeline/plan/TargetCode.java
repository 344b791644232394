// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;

/** An erasure code that files may be converted to, and what it stores. */
public final class TargetCode {
  /** Cells of HDFS are multiples of this (ErasureCodingPolicyManager). */
  private static final int CELL_UNIT = 1024;

  private final String codec;
  private final CodeShape shape;
  private final long cellSize;

  private TargetCode(String codec, CodeShape shape, long cellSize) {
    this.codec = codec;
    this.shape = shape;
    this.cellSize = cellSize;
  }

  /**
   * Reads a code as HDFS names its policies.
   *
   * @param name such as RS-6-3, or RS-6-3-1024k with the cell for striped files
   * @param cellSize bytes of a cell of striped files unless the name has them
   * @throws IllegalArgumentException if there is no such code
   */
  public static TargetCode parse(String name, long cellSize) {
    CodeName named = CodeName.parse(name);
    long cell = named.cellBytes() > 0 ? named.cellBytes() : cellSize;
    TargetCode code = new TargetCode(named.codec(), named.shape(), cell);
    if (!code.takesBlocksOf(cell)) {
      throw new IllegalArgumentException(
          "Cannot use cells of " + cell + " bytes with " + code.data() + " data blocks: a cell is a"
              + " multiple of 1024 bytes, and a stripe's are less than 2 GiB together");
    }
    return code;
  }

  /** Returns the code with other counts of blocks, for striped cells of the same size. */
  TargetCode withShape(int data, int parity) {
    return new TargetCode(codec, CodeShape.ofDataAndParity(data, parity), cellSize);
  }

  /** Returns a code by its counts, as a file has it that is coded already. */
  static TargetCode ofCounts(int data, int parity, long cellSize) {
    return new TargetCode("RS", CodeShape.ofDataAndParity(data, parity), cellSize);
  }

  /** Returns k and m. */
  public CodeShape shape() {
    return shape;
  }

  /** Returns the bytes of a cell of striped files. */
  public long cellSize() {
    return cellSize;
  }

  int data() {
    return shape.data();
  }

  int parity() {
    return shape.parity();
  }

  boolean isReedSolomon() {
    return codec.equals("RS");
  }

  /** Returns how many different racks a group needs to survive the failure of one. */
  int racksForRackFailure() {
    return (shape.total() + parity() - 1) / parity();
  }

  /** Returns the name without a cell, such as RS-6-3. */
  public String name() {
    return codec + "-" + data() + "-" + parity();
  }

  /** Returns the name of the policy whose cells are blocks of a size, such as RS-6-3-131072k. */
  String policyName(long cell) {
    return name() + "-" + cell / 1024 + "k";
  }

  /** Returns whether blocks of a size can be cells, so that replicas can be adopted. */
  boolean takesBlocksOf(long blockSize) {
    return blockSize >= CELL_UNIT
        && blockSize % CELL_UNIT == 0
        && blockSize <= CodeName.STRIPE_BYTES_MAX / data();
  }

  /** Returns the bytes of a file, parity included, whose groups are its own blocks. */
  long contiguousBytes(PlannedFile file) {
    long bytes = 0;
    int start = 0;
    while (start < file.blockCount) {
      int end = file.groupEnd(start, data());
      bytes += file.bytes(start, end) + parity() * file.longest(start, end);
      start = end;
    }
    return bytes;
  }

  /** Returns the bytes of a striped file, parity included. */
  long stripedBytes(long length, long blockSize) {
    long group = blockSize * data();
    long full = length / group;
    return length + full * parity() * parityLength(group) + parity() * parityLength(length % group);
  }

  /** Returns the bytes of one parity block of a striped group: as many as data block 0 has. */
  long parityLength(long groupBytes) {
    long stripe = cellSize * data();
    return groupBytes / stripe * cellSize + Math.min(groupBytes % stripe, cellSize);
  }

  @Override
  public String toString() {
    return name();
  }
}
