// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;

/** One span of one internal block on its way into a buffer; guarded by its segment's lock. */
final class SpanRead {
  enum State {
    QUEUED,
    RUNNING,
    DONE,
    FAILED,
    /** Nobody waits for it any more; the lane gives the buffer back when it is done with it. */
    ABANDONED
  }

  final Segment segment;
  final int unit;
  final Span span;

  /** To where a reader that must be opened for this is opened. */
  final long openTo;

  final ByteBuffer buffer;

  /** Set by its lane when an interrupt is on its way, after which trying again makes no sense. */
  volatile boolean cancelled;

  State state = State.QUEUED;
  Lane lane;
  long startedNanos;
  long nanos;

  /** Whether others have been asked in its stead. */
  boolean late;

  IOException fault;
  boolean shortCircuit;
  int distance;

  SpanRead(Segment segment, int unit, Span span, long openTo, ByteBuffer buffer) {
    this.segment = segment;
    this.unit = unit;
    this.span = span;
    this.openTo = openTo;
    this.buffer = buffer;
  }

  boolean isPending() {
    return state == State.QUEUED || state == State.RUNNING;
  }

  /** Returns whether it has, or may still bring, all of what the unit has of that span. */
  boolean promises(Span wanted) {
    return (state == State.DONE || isPending() && !late) && span.covers(wanted);
  }
}
