// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a segment decodes from: k units over one span, zeros where a unit has ended. */
final class DecodeInputs {
  private final GroupReader reader;
  private final SpanPlan plan;
  private final ByteBuffer[] units;
  private final List<ByteBuffer> scratch = new ArrayList<>();

  private DecodeInputs(GroupReader reader, SpanPlan plan) {
    this.reader = reader;
    this.plan = plan;
    this.units = new ByteBuffer[reader.geometry().units()];
  }

  /** Gathers inputs, under the segment's lock; null if k units are not there yet. */
  static DecodeInputs gather(GroupReader reader, SpanPlan plan) {
    if (!plan.areOwnDone()) {
      return null;
    }
    DecodeInputs inputs = new DecodeInputs(reader, plan);
    if (!inputs.areThere()) {
      inputs.release();
      return null;
    }
    return inputs;
  }

  /** Returns a buffer for each of k units, null for the others. */
  ByteBuffer[] units() {
    return units;
  }

  /** Gives back what was taken for this; the spans' own buffers stay. */
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
    SpanRead read = plan.promised(unit);
    if (read == null || read.state != SpanRead.State.DONE) {
      return null;
    }
    if (read.buffer == null) {
      read.buffer = reader.takeBuffer(read.span.length());
      read.collect();
    }
    Span present = plan.present(unit);
    ByteBuffer part = read.buffer.duplicate();
    part.position((int) (present.lo - read.span.lo)).limit((int) (present.hi - read.span.lo));
    if (present.hi == plan.decodeSpan().hi) {
      return part.slice();
    }
    ByteBuffer padded = zeros();
    padded.duplicate().put(part);
    return padded;
  }

  private ByteBuffer zeros() {
    int length = plan.decodeSpan().length();
    ByteBuffer buffer = reader.takeBuffer(length);
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
