// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One span of one internal block on its way into a buffer of its own, or to where the caller wants
 * it; guarded by its segment's lock.
 */
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

  /** Null where the bytes go to the caller's buffer, until decoding wants them. */
  ByteBuffer buffer;

  /** Null where the bytes go to a buffer of this read. */
  private final Placement placement;

  /** Guarded by this read, not by the segment: the caller's buffer is not ours any more. */
  private boolean placesNoMore;

  /** Set by its lane when an interrupt is on its way, after which trying again makes no sense. */
  volatile boolean cancelled;

  /** The DataNode that it is read from; null before a reader is open. */
  volatile String node;

  /** Where it was asked for. */
  volatile Replica replica;

  State state = State.QUEUED;
  Lane lane;
  long startedNanos;
  long nanos;

  /** Whether others have been asked in its stead. */
  boolean late;

  /** The DataNode for which it is {@link NodeHealth#mayLinger the read that goes on}, or null. */
  String lingersAt;

  IOException fault;
  boolean shortCircuit;
  int distance;

  /** Creates a read into a buffer, or else into a placement. */
  SpanRead(
      Segment segment, int unit, Span span, long openTo, ByteBuffer buffer, Placement placement) {
    this.segment = segment;
    this.unit = unit;
    this.span = span;
    this.openTo = openTo;
    this.buffer = buffer;
    this.placement = placement;
  }

  boolean isPlaced() {
    return placement != null;
  }

  /** Puts bytes into the caller's buffer, unless it has been given back. */
  synchronized void place(long offsetInUnit, ByteBuffer bytes) {
    if (!placesNoMore) {
      placement.put(unit, offsetInUnit, bytes);
    }
  }

  /** After this nothing more is put into the caller's buffer. */
  synchronized void placeNoMore() {
    placesNoMore = true;
  }

  /** Copies what was placed into the buffer, which there must be by now. */
  void collect() {
    ByteBuffer into = buffer.duplicate();
    into.clear();
    placement.get(unit, span, into);
  }

  boolean isPending() {
    return state == State.QUEUED || state == State.RUNNING;
  }

  /** Returns whether it has, or may still bring, its span. */
  boolean isPromising() {
    return state == State.DONE || isPending() && !late;
  }
}
