// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** The inputs of a segment's decode: k units over one span, with zeros after the end of a unit. */
final class DecodeInputs {
  private final Segment segment;
  private final GroupReader reader;
  private final SpanPlan plan;
  private final ByteBuffer[] units;
  private final List<ByteBuffer> scratch = new ArrayList<>();

  private DecodeInputs(Segment segment, GroupReader reader, SpanPlan plan) {
    this.segment = segment;
    this.reader = reader;
    this.plan = plan;
    this.units = new ByteBuffer[reader.geometry().units()];
  }

  /**
   * Collects the inputs with the segment's lock held; returns null if fewer than k units are
   * available.
   */
  static DecodeInputs gather(Segment segment, GroupReader reader, SpanPlan plan) {
    if (!plan.areOwnDone()) {
      return null;
    }
    DecodeInputs inputs = new DecodeInputs(segment, reader, plan);
    boolean done = false;
    try {
      done = inputs.areThere();
    } finally {
      if (!done) {
        inputs.release();
      }
    }
    return done ? inputs : null;
  }

  /** Returns the buffers by unit; k elements are not null. */
  ByteBuffer[] units() {
    return units;
  }

  /** Releases the buffers that were taken for this object; the spans keep their own buffers. */
  void release() {
    scratch.forEach(reader::giveBuffer);
  }

  private boolean areThere() {
    int wanted = reader.geometry().dataUnits();
    int count = 0;
    for (int unit = 0; unit < units.length && count < wanted; unit++) {
      if (plan.isMissing(unit)) {
        continue;
      }
      units[unit] = plan.isZero(unit) ? zeros() : source(unit);
      if (units[unit] != null) {
        count++;
      }
    }
    return count == wanted;
  }

  private ByteBuffer source(int unit) {
    if (!plan.lacking(unit, true).isEmpty()) {
      return null;
    }
    Span present = plan.present(unit);
    ByteBuffer joined = null;
    for (SpanRead read : plan.reads(unit)) {
      if (read.state != SpanRead.State.DONE) {
        continue;
      }
      Span part = read.span.intersection(present);
      if (part.covers(plan.decodeSpan())) {
        return bytes(read, part).slice();
      }
      if (!part.isEmpty()) {
        joined = joined == null ? zeros() : joined;
        ByteBuffer into = joined.duplicate();
        into.position((int) (part.lo - present.lo));
        into.put(bytes(read, part));
      }
    }
    return joined;
  }

  private ByteBuffer bytes(SpanRead read, Span part) {
    if (read.buffer == null) {
      read.buffer = segment.takeBuffer(read.span.length());
      read.collect();
    }
    ByteBuffer bytes = read.buffer.duplicate();
    bytes.limit((int) (part.hi - read.span.lo)).position((int) (part.lo - read.span.lo));
    return bytes;
  }

  private ByteBuffer zeros() {
    int length = plan.decodeSpan().length();
    ByteBuffer buffer = segment.takeBuffer(length);
    buffer.limit(length);
    scratch.add(buffer);
    for (ByteBuffer fill = buffer.duplicate(); fill.hasRemaining(); ) {
      if (fill.remaining() >= Long.BYTES) {
        fill.putLong(0);
      } else {
        fill.put((byte) 0);
      }
    }
    return buffer;
  }
}
