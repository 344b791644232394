// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.stripeline.client.read.shared.NodeHealth;

/**
 * One span of one internal block that is read into a buffer of its own or into the caller's buffer;
 * guarded by its segment's lock.
 */
final class SpanRead {
  enum State {
    QUEUED,
    RUNNING,
    DONE,
    FAILED,
    /** No caller waits for it; the lane releases the buffer when it has finished with it. */
    ABANDONED
  }

  final Segment segment;
  final int unit;
  final Span span;

  /** The offset up to which a reader is opened if this read must open one. */
  final long openTo;

  /** Null if the bytes go to the caller's buffer and decoding does not need them yet. */
  ByteBuffer buffer;

  /** Null if the bytes go to this read's own buffer. */
  private final Placement placement;

  /**
   * Guarded by this read, not by the segment. Once set, the caller's buffer must no longer be
   * written.
   */
  private boolean placesNoMore;

  /** Set by the lane before it interrupts the thread; a retry is then pointless. */
  volatile boolean cancelled;

  /** The DataNode that it is read from; null before a reader is open. */
  volatile String node;

  /** The replica that was requested. */
  volatile Replica replica;

  State state = State.QUEUED;
  Lane lane;
  long startedNanos;
  long nanos;

  /** Whether other units have been requested in its place. */
  boolean late;

  /** Whether it was late before, or is read again because an earlier read blocked its lane. */
  boolean again;

  /** Whether it failed only because an earlier read blocked its lane. */
  boolean blocked;

  /** The DataNode for which it is {@link NodeHealth#mayLinger the read that continues}, or null. */
  String lingersAt;

  IOException fault;
  boolean shortCircuit;
  int distance;

  /** Creates a read into a buffer, or into a placement if the buffer is null. */
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

  /** Copies bytes into the caller's buffer, unless {@link #placeNoMore} was called. */
  synchronized void place(long offsetInUnit, ByteBuffer bytes) {
    if (!placesNoMore) {
      placement.put(unit, offsetInUnit, bytes);
    }
  }

  /** Prevents all further writes to the caller's buffer. */
  synchronized void placeNoMore() {
    placesNoMore = true;
  }

  /** Copies the placed bytes into {@code buffer}, which must not be null. */
  void collect() {
    ByteBuffer into = buffer.duplicate();
    into.clear();
    placement.get(unit, span, into);
  }

  boolean isPending() {
    return state == State.QUEUED || state == State.RUNNING;
  }

  /** Returns whether its span is available or still expected. */
  boolean isPromising() {
    return state == State.DONE || isPending() && !late;
  }
}
