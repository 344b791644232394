// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

/** An erasure code, byte-identical to the one of the same name in Apache Hadoop. */
public enum Code {
  /** Reed-Solomon with a Cauchy matrix: Hadoop's {@code rs}, and ISA-L's cauchy1. */
  RS("rs", 0, 256),
  /**
   * Reed-Solomon with a generator polynomial: HDFS-RAID's code, Hadoop's {@code rs-legacy}.
   *
   * <p>Its evaluation points are powers of 2, of which 255 are distinct.
   */
  RS_LEGACY("rs-legacy", 1, 255),
  /** One parity unit, the exclusive or of all data units: Hadoop's {@code xor}. */
  XOR("xor", 2, 256);

  private final String codecName;
  private final int id;
  private final int unitsMax;

  Code(String codecName, int id, int unitsMax) {
    this.codecName = codecName;
    this.id = id;
    this.unitsMax = unitsMax;
  }

  /** Returns the name of the code in Hadoop's schemas and policies. */
  public String codecName() {
    return codecName;
  }

  /**
   * Returns the code with the given name.
   *
   * @param codecName a name as {@link #codecName()} returns it
   * @throws IllegalArgumentException if there is no such code
   */
  public static Code of(String codecName) {
    for (Code code : values()) {
      if (code.codecName.equals(codecName)) {
        return code;
      }
    }
    throw new IllegalArgumentException(
        "Cannot use code '" + codecName + "': known are rs, rs-legacy, xor");
  }

  /** Returns the number of this code in the native interface. */
  int id() {
    return id;
  }

  /** Checks that this code supports the numbers of units. */
  void checkUnits(int dataUnits, int parityUnits) {
    if (dataUnits < 1 || parityUnits < 1) {
      throw refusal(dataUnits, parityUnits, "both numbers of units must be at least 1");
    }
    // A subtraction, because the sum of two large numbers could overflow.
    if (dataUnits > unitsMax - parityUnits) {
      throw refusal(
          dataUnits,
          parityUnits,
          "it has at most " + unitsMax + " units, data and parity together");
    }
    if (this == XOR && parityUnits != 1) {
      throw refusal(dataUnits, parityUnits, "it has exactly 1 parity unit");
    }
  }

  private IllegalArgumentException refusal(int dataUnits, int parityUnits, String reason) {
    return new IllegalArgumentException(
        "Cannot create codec " + codecName + " " + dataUnits + "+" + parityUnits + ": " + reason);
  }

  @Override
  public String toString() {
    return codecName;
  }
}
