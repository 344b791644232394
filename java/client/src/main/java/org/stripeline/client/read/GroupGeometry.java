// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/**
 * Maps bytes of a block group to its internal blocks, as {@code StripedBlockUtil} does: cell c of
 * the group is row c / k of internal block c % k. Parity of the last stripe is as long as its first
 * cell.
 *
 * <p>A group is <em>open</em> if its file was being written when the group was located. Hadoop then
 * uses the length of the first internal block as that of the group. At least these bytes exist. In
 * the last stripe, internal blocks can be longer than this class tells, and parity is computed from
 * all of their bytes.
 */
final class GroupGeometry {
  /**
   * The usual number of bytes per checksum; with another number, reads are correct but less
   * efficient.
   */
  static final int CHUNK_BYTES = 512;

  /** The bytes of each internal block in a segment, unless its cells are larger and read whole. */
  static final int LANE_BYTES = 1 << 20;

  private final int dataUnits;
  private final int parityUnits;
  private final int cellBytes;
  private final long groupBytes;
  private final boolean isOpen;

  GroupGeometry(int dataUnits, int parityUnits, int cellBytes, long groupBytes, boolean isOpen) {
    this.dataUnits = dataUnits;
    this.parityUnits = parityUnits;
    this.cellBytes = cellBytes;
    this.groupBytes = groupBytes;
    this.isOpen = isOpen;
  }

  int dataUnits() {
    return dataUnits;
  }

  int units() {
    return dataUnits + parityUnits;
  }

  int cellBytes() {
    return cellBytes;
  }

  long groupBytes() {
    return groupBytes;
  }

  boolean isOpen() {
    return isOpen;
  }

  long stripeBytes() {
    return (long) dataUnits * cellBytes;
  }

  /** Returns the length of an internal block. */
  long unitBytes(int unit) {
    return endInUnit(unit, groupBytes);
  }

  /**
   * Returns whether it is known what a unit has up to an offset, for decoding: its bytes, and zeros
   * after its end. Where an open group ends, a unit may go on.
   */
  boolean isKnownTo(int unit, long offsetInUnit) {
    return !isOpen || offsetInUnit <= unitBytes(unit);
  }

  /**
   * Returns the span of a data unit that holds the group's bytes from {@code from} (inclusive) to
   * {@code to} (exclusive).
   */
  Span need(int unit, long from, long to) {
    if (to <= from) {
      return Span.EMPTY;
    }
    long first = from / cellBytes;
    long last = (to - 1) / cellBytes;
    long lo = first / dataUnits * cellBytes;
    int firstUnit = (int) (first % dataUnits);
    if (unit < firstUnit) {
      lo += cellBytes;
    } else if (unit == firstUnit) {
      lo += from % cellBytes;
    }
    long hi = last / dataUnits * cellBytes;
    int lastUnit = (int) (last % dataUnits);
    if (unit < lastUnit) {
      hi += cellBytes;
    } else if (unit == lastUnit) {
      hi += (to - 1) % cellBytes + 1;
    }
    return hi <= lo ? Span.EMPTY : new Span(lo, hi);
  }

  /**
   * Returns the span extended to whole chunks, which is what a DataNode sends: when all of it is
   * received, the checksums can be verified in place.
   */
  Span wholeChunks(int unit, Span span) {
    if (span.isEmpty()) {
      return span;
    }
    long hi = (span.hi + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;
    return new Span(span.lo / CHUNK_BYTES * CHUNK_BYTES, Math.min(hi, unitBytes(unit)));
  }

  /** Returns the offset in a unit at which a read of the group up to {@code to} ends. */
  long endInUnit(int unit, long to) {
    if (to <= 0) {
      return 0;
    }
    long last = (to - 1) / stripeBytes() * cellBytes;
    long rest = (to - 1) % stripeBytes() + 1;
    long before = unit < dataUnits ? (long) unit * cellBytes : 0;
    return last + Math.max(0, Math.min(cellBytes, rest - before));
  }

  /** Returns the data unit that holds a byte of the group. */
  int unitOf(long offset) {
    return (int) (offset / cellBytes % dataUnits);
  }

  /** Returns the offset of a byte of the group in its internal block. */
  long offsetInUnit(long offset) {
    return offset / stripeBytes() * cellBytes + offset % cellBytes;
  }

  /** Returns the offset in the group of a byte of a data unit. */
  long offsetInGroup(int unit, long offsetInUnit) {
    return offsetInUnit / cellBytes * stripeBytes()
        + (long) unit * cellBytes
        + offsetInUnit % cellBytes;
  }

  /** Returns the end of the cell that holds a byte of the group. */
  long cellEnd(long offset) {
    return Math.min(groupBytes, (offset / cellBytes + 1) * cellBytes);
  }

  /** Returns {@code offset} rounded up to the end of a chunk, at most the length of the group. */
  long chunkEnd(long offset) {
    return Math.min(groupBytes, (offset + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES);
  }

  /**
   * Returns the end of the segment that begins at {@code offset}, if cells are read in parts.
   * Readers are opened for whole chunks, so that it ends where a chunk does: the next segment then
   * begins where its reader ends.
   */
  long partEnd(long offset) {
    return Math.min(cellEnd(offset), chunkEnd(offset + LANE_BYTES));
  }

  /** Returns the end of the stripe that holds a byte of the group. */
  long stripeEnd(long offset) {
    return Math.min(groupBytes, (offset / stripeBytes() + 1) * stripeBytes());
  }

  /**
   * Returns the end of the part that is read on its own when a larger range cannot be read: the
   * stripe that holds a byte of the group. In the last stripe of an open group, it is the cell,
   * because one cell that is lost must not make the others unreadable.
   */
  long separateEnd(long offset) {
    long end = stripeEnd(offset);
    return isOpen && end == groupBytes ? cellEnd(offset) : end;
  }
}
