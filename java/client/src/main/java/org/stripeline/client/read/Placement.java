// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.nio.ByteBuffer;

/** Where the bytes of a range of a block group belong in the buffer of whoever reads it. */
final class Placement {
  private final GroupGeometry geometry;
  private final ByteBuffer target;
  private final long from;

  /**
   * Creates a placement.
   *
   * @param target to whose position the byte at {@code from} belongs
   * @param from offset in the group
   */
  Placement(GroupGeometry geometry, ByteBuffer target, long from) {
    this.geometry = geometry;
    this.target = target.slice();
    this.from = from;
  }

  /** Puts bytes of an internal block where they belong. */
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

  /** Gets bytes of an internal block from where they were put. */
  void get(int unit, Span span, ByteBuffer into) {
    for (long at = span.lo; at < span.hi; ) {
      ByteBuffer place = place(unit, at, (int) (span.hi - at));
      at += place.remaining();
      into.put(place);
    }
  }

  /** Puts bytes where those from an offset of the group on belong. */
  void put(long offset, ByteBuffer bytes) {
    ByteBuffer place = target.duplicate();
    place.position((int) (offset - from));
    place.put(bytes);
  }

  /** Returns the place of bytes of an internal block, up to the end of their cell. */
  private ByteBuffer place(int unit, long offsetInUnit, int most) {
    long offset = geometry.offsetInGroup(unit, offsetInUnit);
    int start = (int) (offset - from);
    ByteBuffer place = target.duplicate();
    place.limit(start + (int) Math.min(most, geometry.cellEnd(offset) - offset)).position(start);
    return place;
  }
}
