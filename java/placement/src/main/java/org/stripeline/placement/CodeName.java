// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An erasure code by its HDFS name: {@code RS-6-3}, or {@code RS-6-3-1024k} with the cell size. */
public final class CodeName {
  /** Maximum number of blocks in a group (HdfsServerConstants.MAX_BLOCKS_IN_GROUP). */
  public static final int BLOCKS_IN_GROUP_MAX = 16;

  /**
   * Maximum number of data bytes in a stripe: HDFS computes stripe offsets with 32 bits
   * (StripedBlockUtil).
   */
  public static final long STRIPE_BYTES_MAX = Integer.MAX_VALUE;

  /** The cell size must be a multiple of this (ErasureCodingPolicyManager). */
  private static final int CELL_UNIT = 1024;

  private static final Pattern FORM =
      Pattern.compile("(RS|RS-LEGACY|XOR)-(\\d{1,3})-(\\d{1,3})(?:-(\\d{1,7})K)?");

  private final String codec;
  private final CodeShape shape;
  private final int cellBytes;

  private CodeName(String codec, CodeShape shape, int cellBytes) {
    this.codec = codec;
    this.shape = shape;
    this.cellBytes = cellBytes;
  }

  /**
   * Parses a name, ignoring case.
   *
   * @throws IllegalArgumentException if HDFS does not support such a code
   */
  public static CodeName parse(String name) {
    Matcher form = FORM.matcher(name.trim().toUpperCase(Locale.ROOT));
    if (!form.matches()) {
      throw refused(name, "write for example RS-6-3, RS-10-4, XOR-2-1 or RS-6-3-1024k");
    }
    int data = Integer.parseInt(form.group(2));
    int parity = Integer.parseInt(form.group(3));
    if (data < 1 || parity < 1 || data + parity > BLOCKS_IN_GROUP_MAX) {
      throw refused(
          name,
          "HDFS takes 1 data block or more, 1 parity block or more, and at most "
              + BLOCKS_IN_GROUP_MAX
              + " together");
    }
    if (form.group(1).equals("XOR") && parity != 1) {
      throw refused(name, "XOR has 1 parity block, not " + parity);
    }
    long cell = form.group(4) == null ? 0 : Long.parseLong(form.group(4)) * 1024;
    if (form.group(4) != null && (cell == 0 || cell * data > STRIPE_BYTES_MAX)) {
      throw refused(
          name, "a cell has 1 KiB or more, and a stripe's data are less than 2 GiB together");
    }
    CodeShape shape = CodeShape.ofDataAndParity(data, parity);
    return new CodeName(form.group(1), shape, (int) cell);
  }

  /**
   * Returns the code of a file.
   *
   * @param codec such as rs, in any case
   * @param cellBytes cell size in bytes, 0 if it does not matter
   */
  public static CodeName of(String codec, CodeShape shape, int cellBytes) {
    return new CodeName(codec.toUpperCase(Locale.ROOT), shape, cellBytes);
  }

  /**
   * Parses a name and determines the cell size: that of the name, that of an option, or a default.
   *
   * @param option cell size that an option sets, null if it is not given
   * @throws IllegalArgumentException if HDFS does not support such a code or cell size, or the name
   *     and the option contradict each other
   */
  public static CodeName parse(String name, Long option, long cellBytesDefault) {
    CodeName code = parse(name);
    if (code.cellBytes > 0 && option != null && option != code.cellBytes) {
      throw new IllegalArgumentException(
          "Cannot use two cell sizes: " + name + " and --cell-size with " + option + " bytes");
    }
    long named = code.cellBytes > 0 ? code.cellBytes : cellBytesDefault;
    return parse(code.toString(), option == null ? named : option);
  }

  /**
   * Parses a name, with a default cell size for names that have none.
   *
   * @throws IllegalArgumentException if HDFS does not support such a code or cell size
   */
  public static CodeName parse(String name, long cellBytes) {
    CodeName code = parse(name);
    if (code.cellBytes > 0) {
      return code;
    }
    if (!code.takesCell(cellBytes)) {
      throw new IllegalArgumentException(
          "Cannot use cells of "
              + cellBytes
              + " bytes: whole KiB are needed, and at most "
              + code.cellBytesMax()
              + " bytes, since "
              + code.data()
              + " cells must stay below 2 GiB");
    }
    return code.withCell((int) cellBytes);
  }

  /** Returns the same code with another cell size. */
  public CodeName withCell(int bytes) {
    return new CodeName(codec, shape, bytes);
  }

  /** Returns whether another code has the same codec, k and m; the cell size may differ. */
  public boolean isSameCode(CodeName other) {
    return codec.equals(other.codec)
        && shape.data() == other.shape.data()
        && shape.parity() == other.shape.parity();
  }

  /**
   * Returns whether a cell size is possible: HDFS names policies by whole KiB and computes the data
   * bytes of a stripe with 32 bits.
   */
  public boolean takesCell(long bytes) {
    return bytes > 0 && bytes % CELL_UNIT == 0 && bytes <= cellBytesMax();
  }

  private static IllegalArgumentException refused(String name, String reason) {
    return new IllegalArgumentException("Cannot use policy '" + name + "': " + reason);
  }

  /** Returns the codec, in capitals: RS, RS-LEGACY or XOR. */
  public String codec() {
    return codec;
  }

  /** Returns k and m. */
  public CodeShape shape() {
    return shape;
  }

  /** Returns the maximum cell size in bytes. */
  public long cellBytesMax() {
    return STRIPE_BYTES_MAX / data();
  }

  /** Returns k, the data blocks of a group. */
  public int data() {
    return shape.data();
  }

  /** Returns m, the parity blocks of a group. */
  public int parity() {
    return shape.parity();
  }

  /** Returns the name of the policy with a given cell size, such as RS-6-3-131072k. */
  public String policyName(long cell) {
    return this + "-" + cell / CELL_UNIT + "k";
  }

  /** Returns the cell size in bytes, 0 if the name has none. */
  public int cellBytes() {
    return cellBytes;
  }

  /** Returns the name without the cell size. */
  @Override
  public String toString() {
    return codec + "-" + data() + "-" + parity();
  }
}
