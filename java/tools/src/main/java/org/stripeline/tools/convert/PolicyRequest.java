// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;

/** A code as its user names it, such as {@code RS-6-3}, with or without a cell size. */
public final class PolicyRequest {
  private static final Pattern FORM =
      Pattern.compile("(RS|RS-LEGACY|XOR)-(\\d{1,3})-(\\d{1,3})(?:-(\\d{1,7})k)?");

  /** Hadoop computes offsets within a stripe in ints (StripedBlockUtil). */
  private static final long STRIPE_BYTES_MAX = Integer.MAX_VALUE;

  /** HdfsServerConstants.MAX_BLOCKS_IN_GROUP. */
  private static final int UNITS_MAX = 16;

  private final String code;
  private final String codec;
  private final int dataUnits;
  private final int parityUnits;
  private final int cellBytes;

  private PolicyRequest(String code, String codec, int dataUnits, int parityUnits, int cellBytes) {
    this.code = code;
    this.codec = codec;
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
    this.cellBytes = cellBytes;
  }

  /**
   * Reads a name.
   *
   * @param name codec, data units, parity units and perhaps a cell size in KiB
   * @throws IllegalArgumentException if HDFS has no such code
   */
  public static PolicyRequest parse(String name) {
    Matcher form = FORM.matcher(name);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "Cannot use policy '" + name + "': write for example RS-6-3, RS-10-4, XOR-2-1 or"
              + " RS-6-3-1024k");
    }
    int k = Integer.parseInt(form.group(2));
    int m = Integer.parseInt(form.group(3));
    if (k < 1 || m < 1 || k + m > UNITS_MAX) {
      throw new IllegalArgumentException(
          "Cannot use policy '" + name + "': HDFS takes 2 to " + UNITS_MAX
              + " units, this has " + k + " data and " + m + " parity units");
    }
    if (form.group(1).equals("XOR") && m != 1) {
      throw new IllegalArgumentException(
          "Cannot use policy '" + name + "': XOR has one parity unit, not " + m);
    }
    int cell = form.group(4) == null ? 0 : kibibytes(form.group(4));
    String code = form.group(1) + "-" + k + "-" + m;
    return new PolicyRequest(code, form.group(1).toLowerCase(Locale.ROOT), k, m, cell);
  }

  private static int kibibytes(String text) {
    long bytes = Long.parseLong(text) << 10;
    if (bytes < 1 || bytes > STRIPE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "Cannot use a cell of " + text + " KiB: a stripe must stay below 2 GiB");
    }
    return (int) bytes;
  }

  /** Name without a cell size. */
  public String code() {
    return code;
  }

  /** Units of data in a stripe. */
  public int dataUnits() {
    return dataUnits;
  }

  /** Units of parity in a stripe. */
  public int parityUnits() {
    return parityUnits;
  }

  /** Internal blocks of a whole group. */
  public int units() {
    return dataUnits + parityUnits;
  }

  /** Bytes of a cell as named, or 0 if the name has none. */
  public int cellBytes() {
    return cellBytes;
  }

  /** Tells whether a stripe of such cells is one that HDFS can count: below 2 GiB of data. */
  public boolean takesCell(long bytes) {
    return bytes > 0 && bytes * dataUnits <= STRIPE_BYTES_MAX;
  }

  /**
   * The policy with cells of that size, as the NameNode would have to know it.
   *
   * @param bytes a size for which {@link #takesCell} is true
   */
  ErasureCodingPolicy withCell(int bytes) {
    return new ErasureCodingPolicy(new ECSchema(codec, dataUnits, parityUnits), bytes);
  }

  /** Most bytes that a cell may have. */
  public long cellBytesMax() {
    return STRIPE_BYTES_MAX / dataUnits;
  }

  @Override
  public String toString() {
    return code;
  }
}
