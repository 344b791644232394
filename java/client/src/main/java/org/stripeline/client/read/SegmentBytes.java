// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.nio.ByteBuffer;

/**
 * The bytes of a complete segment, in the buffers of its reads and of its decode; guarded by the
 * segment's lock.
 */
final class SegmentBytes {
  private final Segment segment;
  private final GroupGeometry geometry;
  private final SpanPlan plan;

  /** By unit, each over {@link SpanPlan#decodeSpan}; null if it was not decoded. */
  private final ByteBuffer[] decoded;

  SegmentBytes(Segment segment, GroupGeometry geometry, SpanPlan plan) {
    this.segment = segment;
    this.geometry = geometry;
    this.plan = plan;
    this.decoded = new ByteBuffer[geometry.units()];
  }

  /** Takes the buffer of a decoded unit, or null if there was no memory for one. */
  void decoded(int unit, ByteBuffer bytes) {
    decoded[unit] = bytes;
  }

  /** Returns the bytes at an offset of the group, up to the end of their cell or of the segment. */
  ByteBuffer at(long offset) {
    int unit = geometry.unitOf(offset);
    long inUnit = geometry.offsetInUnit(offset);
    long length = Math.min(segment.to(), geometry.cellEnd(offset)) - offset;
    ByteBuffer whole;
    long base;
    if (plan.isMissing(unit)) {
      whole = decoded[unit];
      base = plan.decodeSpan().lo;
    } else {
      whole = plan.own(unit).buffer;
      base = plan.own(unit).span.lo;
    }
    ByteBuffer part = whole.duplicate();
    part.limit((int) (inUnit - base + length)).position((int) (inUnit - base));
    return part;
  }

  /** Copies the bytes that the reads have not placed. */
  void copyTo(Placement placement) {
    long to = segment.to();
    for (long at = segment.from(); at < to; at = Math.min(to, geometry.cellEnd(at))) {
      int unit = geometry.unitOf(at);
      if (plan.isMissing(unit) || !plan.own(unit).isPlaced()) {
        placement.put(at, at(at));
      }
    }
  }

  /** Gives all buffers back, except of abandoned reads, whose lanes do so. */
  void release(GroupReader reader) {
    for (SpanRead read : plan.all()) {
      if (read.state != SpanRead.State.ABANDONED) {
        reader.giveBuffer(read);
      }
    }
    for (int unit = 0; unit < decoded.length; unit++) {
      if (decoded[unit] != null) {
        reader.giveBuffer(decoded[unit]);
        decoded[unit] = null;
      }
    }
  }
}
