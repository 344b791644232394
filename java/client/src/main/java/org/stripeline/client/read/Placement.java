// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.nio.ByteBuffer;

/** Maps the bytes of a range of a block group to positions in the caller's buffer. */
final class Placement {
  private final GroupGeometry geometry;
  private final ByteBuffer target;
  private final long from;

  /**
   * Creates a placement.
   *
   * @param target the buffer; the byte at {@code from} goes to its position
   * @param from offset in the group
   */
  Placement(GroupGeometry geometry, ByteBuffer target, long from) {
    this.geometry = geometry;
    this.target = target.slice();
    this.from = from;
  }

  /** Copies bytes of an internal block to their places in the buffer. */
  void put(int unit, long offsetInUnit, ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      ByteBuffer place = place(unit, offsetInUnit, bytes.remaining());
      ByteBuffer part = bytes.duplicate();
      part.limit(part.position() + place.remaining());
      offsetInUnit += part.remaining();
      bytes.position(part.limit());
      place.put(part);
    }
  }

  /** Copies bytes of an internal block from their places in the buffer. */
  void get(int unit, Span span, ByteBuffer into) {
    for (long at = span.lo; at < span.hi; ) {
      ByteBuffer place = place(unit, at, (int) (span.hi - at));
      at += place.remaining();
      into.put(place);
    }
  }

  /** Copies bytes that begin at an offset of the group to their place in the buffer. */
  void put(long offset, ByteBuffer bytes) {
    ByteBuffer place = target.duplicate();
    place.position((int) (offset - from));
    place.put(bytes);
  }

  /** Returns the place of bytes of an internal block, at most up to the end of their cell. */
  private ByteBuffer place(int unit, long offsetInUnit, int most) {
    long offset = geometry.offsetInGroup(unit, offsetInUnit);
    int start = (int) (offset - from);
    ByteBuffer place = target.duplicate();
    place.limit(start + (int) Math.min(most, geometry.cellEnd(offset) - offset)).position(start);
    return place;
  }
}
