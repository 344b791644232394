// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.check;

import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/** How the bytes of a group are distributed over its units. A replicated block has one unit. */
public final class Layout {
  private final Code code;
  private final int dataUnits;
  private final int parityUnits;
  private final long cellBytes;

  private Layout(Code code, int dataUnits, int parityUnits, long cellBytes) {
    this.code = code;
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
    this.cellBytes = cellBytes;
  }

  /** Returns the layout of a replicated block. */
  public static Layout replicated() {
    return new Layout(null, 1, 0, Long.MAX_VALUE);
  }

  /** Returns the layout of an erasure-coded group. */
  public static Layout striped(Code code, int dataUnits, int parityUnits, long cellBytes) {
    return new Layout(code, dataUnits, parityUnits, cellBytes);
  }

  /** Returns whether blocks have replicas instead of parity. */
  public boolean isReplicated() {
    return code == null;
  }

  /** Returns the number of data and parity units. */
  public int units() {
    return dataUnits + parityUnits;
  }

  /** Returns the number of data units. */
  public int dataUnits() {
    return dataUnits;
  }

  /** Creates the codec of an erasure-coded group; the caller closes it. */
  ErasureCodec codec() {
    return ErasureCodec.create(code, dataUnits, parityUnits);
  }

  /**
   * Returns the length of an internal block. Parity of the last stripe is as long as its first
   * cell.
   *
   * @param groupBytes bytes of data of the group
   */
  public long unitBytes(int unit, long groupBytes) {
    if (isReplicated() || groupBytes == 0) {
      return groupBytes;
    }
    long stripeBytes = Math.multiplyExact(cellBytes, dataUnits);
    long before = (groupBytes - 1) / stripeBytes * cellBytes;
    long rest = (groupBytes - 1) % stripeBytes + 1;
    long column = unit < dataUnits ? unit * cellBytes : 0;
    return before + Math.max(0, Math.min(cellBytes, rest - column));
  }
}
