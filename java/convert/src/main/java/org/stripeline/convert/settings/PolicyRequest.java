// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.util.Locale;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.ECSchema;
import org.stripeline.placement.CodeName;

/** A code as its user names it, such as {@code RS-6-3}, with or without a cell size. */
public final class PolicyRequest {
  private final CodeName name;

  private PolicyRequest(CodeName name) {
    this.name = name;
  }

  /**
   * Reads a name.
   *
   * @param name codec, data units, parity units and perhaps a cell size in KiB
   * @throws IllegalArgumentException if HDFS has no such code
   */
  public static PolicyRequest parse(String name) {
    return new PolicyRequest(CodeName.parse(name));
  }

  /** Name without a cell size. */
  public String code() {
    return name.toString();
  }

  /** Units of data in a stripe. */
  public int dataUnits() {
    return name.shape().data();
  }

  /** Units of parity in a stripe. */
  public int parityUnits() {
    return name.shape().parity();
  }

  /** Internal blocks of a whole group. */
  public int units() {
    return name.shape().total();
  }

  /** Bytes of a cell as named, or 0 if the name has none. */
  public int cellBytes() {
    return name.cellBytes();
  }

  /** Tells whether a stripe of such cells is one that HDFS can count: below 2 GiB of data. */
  public boolean takesCell(long bytes) {
    return bytes > 0 && bytes <= cellBytesMax();
  }

  /**
   * The policy with cells of that size, as the NameNode would have to know it.
   *
   * @param bytes a size for which {@link #takesCell} is true
   */
  public ErasureCodingPolicy withCell(int bytes) {
    String codec = name.codec().toLowerCase(Locale.ROOT);
    return new ErasureCodingPolicy(new ECSchema(codec, dataUnits(), parityUnits()), bytes);
  }

  /** Most bytes that a cell may have. */
  public long cellBytesMax() {
    return CodeName.STRIPE_BYTES_MAX / dataUnits();
  }

  @Override
  public String toString() {
    return code();
  }
}
