// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The segments at and ahead of the position of a reader that goes through a block group. What is
 * fetched grows with what has been read since the last jump: a packet first, then more of the
 * stripe, then stripes; what is fetched ahead is at most a quarter of what has been read. So
 * DataNodes read no more than for Hadoop's client, which takes the rest of the stripe at once. For
 * one thread at a time; what a stream does between {@link #begin} and {@link #end} keeps others
 * from taking its buffers back.
 */
public final class SequentialWindow implements Closeable {
  /**
   * A reader at the beginning is likely to go on: it counts as having read a stripe, within these.
   */
  private static final long FIRST_BYTES_MIN = 1 << 20;

  private static final long FIRST_BYTES_MAX = 4 << 20;

  /** The least that is fetched after a jump, within a cell: what DataNodes send in a packet. */
  private static final long JUMP_BYTES = 64 << 10;

  /** A group of one stripe up to this size is fetched to its end: readers jump about in it. */
  private static final long SMALL_BYTES = 1 << 20;

  /** Within a stripe, a segment is this many times as large as what has been read ... */
  private static final int GROWTH = 4;

  /** ... up to these, after which the rest of the stripe is fetched. */
  private static final long PART_BYTES_MAX = 256 << 10;

  /**
   * This part of what has been read is fetched ahead, and readers are opened for as much more ...
   */
  private static final int AHEAD_PART = 4;

  /**
   * ... up to these, after which they are opened to the end of the group, as Hadoop's always are.
   */
  private static final long LONG_RUN_BYTES = 16 << 20;

  /** Of small cells, this much of each internal block is fetched at a time. */
  private static final int LANE_BYTES = 1 << 20;

  /** Stripes that are larger than this are fetched a cell's part at a time. */
  private static final long STRIPE_MAX_BYTES = 64 << 20;

  private static final long UNBOUNDED = 1L << 60;

  private final ReadContext context;
  private final Segment.Tally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();

  /** Held while segments are used or closed, by the stream or by those that take them back. */
  private final ReentrantLock lock = new ReentrantLock();

  private boolean isListed;
  private volatile boolean isUsedSinceSweep;

  /** What has been passed of the stripe that is read in parts, as decoding may want it. */
  private final List<Segment> passed = new ArrayList<>();

  private GroupReader reader;

  /** Where the segments end: the next one begins here. */
  private long end;

  /** Bytes in a row that the reader is known to have gone through. */
  private long run;

  /** Most bytes of the segment that is fetched next; less where the JVM has refused memory. */
  private long headMax = UNBOUNDED;

  /**
   * Creates a window of a stream.
   *
   * @param tally is told what was fetched, on the thread that calls {@link #at}
   */
  public SequentialWindow(ReadContext context, Segment.Tally tally) {
    this.context = context;
    this.tally = tally;
  }

  /** Begins a read: no buffers are reclaimed until it ends. */
  public void begin() {
    lock.lock();
  }

  /** Ends a read; segments that were returned must not be used any more. */
  public void end() {
    try {
      if (!isUsedSinceSweep) {
        isUsedSinceSweep = true;
      }
      if (!isListed && !segments.isEmpty()) {
        isListed = true;
        context.buffers().windows().add(this);
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isUsedSinceSweep() {
    return isUsedSinceSweep;
  }

  void markSwept() {
    isUsedSinceSweep = false;
  }

  /**
   * Gives all buffers back unless the stream reads; its next read fetches again what it wants, and
   * no more. Returns whether there were any.
   */
  boolean putAway() {
    if (lock.isHeldByCurrentThread() || !lock.tryLock()) {
      return false;
    }
    try {
      boolean hadAny = !segments.isEmpty() || !passed.isEmpty();
      reset(end);
      run = 0;
      return hadAny;
    } finally {
      lock.unlock();
    }
  }

  /** Goes to another group. */
  public void enter(GroupReader next) {
    long goneThrough = reader != null && end == reader.geometry().groupBytes() ? run : 0;
    close();
    reader = next;
    run = goneThrough;
  }

  /** Returns whether a group has been entered and not left. */
  public boolean isOpen() {
    return reader != null;
  }

  /**
   * Returns the segment that holds an offset of the group, waiting until its bytes are there.
   *
   * @param wanted how many bytes from there the caller wants, at least 1
   * @throws IOException if they cannot be had
   */
  public Segment at(long offset, long wanted) throws IOException {
    long memoryDeadline = 0;
    boolean isExhausted = false;
    while (true) {
      try {
        if (isExhausted) {
          isExhausted = false;
          split();
        }
        moveTo(offset, wanted);
        Segment head = segments.peekFirst();
        head.await();
        if (head.count(tally)) {
          reader.counters().add(ReadCount.WINDOW_OCCUPANCY, segments.size());
        }
        headMax = UNBOUNDED;
        return head;
      } catch (ExhaustedException e) {
        isExhausted = true;
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        reset(offset);
        if (!Segment.isForMemory(e)) {
          throw e;
        }
        run = 0;
        headMax = GroupReader.PIECE_BYTES;
        memoryDeadline = reader.awaitMemory(e, memoryDeadline);
      }
    }
  }

  private void moveTo(long offset, long wanted) throws IOException {
    boolean jumped = segments.isEmpty() ? offset != end : isOutside(offset);
    if (jumped) {
      reset(offset);
      run = 0;
    }
    while (!segments.isEmpty() && segments.peekFirst().to() <= offset) {
      pass(segments.pollFirst());
    }
    if (run == 0 && offset == 0) {
      run = Math.max(FIRST_BYTES_MIN, Math.min(FIRST_BYTES_MAX, reader.geometry().stripeBytes()));
    }
    extend(offset, wanted);
  }

  private void pass(Segment segment) {
    long bytes = segment.to() - segment.from();
    run += bytes;
    boolean endsStripe = reader.geometry().stripeEnd(segment.from()) <= segment.to();
    if (endsStripe) {
      forgetPassed();
    }
    if (endsStripe || bytes > PART_BYTES_MAX) {
      segment.close();
    } else {
      passed.add(segment);
    }
  }

  private void forgetPassed() {
    passed.forEach(Segment::close);
    passed.clear();
  }

  private boolean isOutside(long offset) {
    return offset < segments.peekFirst().from() || offset > end;
  }

  private void extend(long offset, long wanted) throws IOException {
    if (segments.isEmpty()) {
      appendHead(wanted);
    }
    GroupGeometry geometry = reader.geometry();
    long headEnd = segments.peekFirst().to();
    long wantedEnd = Math.min(geometry.groupBytes(), offset + wanted);
    boolean isGranted = headMax == UNBOUNDED;
    while (isGranted
        && end < wantedEnd
        && end % geometry.stripeBytes() == 0
        && end - headEnd < context.windowBytes()) {
      isGranted = appendAhead(wantedEnd - end);
    }
    while (isGranted && end < geometry.groupBytes() && end - headEnd < aheadBytes() && mayGoOn()) {
      isGranted = appendAhead(1);
    }
  }

  private long aheadBytes() {
    return Math.min(context.windowBytes(), run / AHEAD_PART);
  }

  /** Parts of a stripe are fetched when they are wanted, and the next stripe not for their sake. */
  private boolean mayGoOn() {
    GroupGeometry geometry = reader.geometry();
    return geometry.stripeBytes() > STRIPE_MAX_BYTES
        || end % geometry.stripeBytes() == 0
            && run >= Math.min(geometry.stripeBytes(), FIRST_BYTES_MAX);
  }

  private void appendHead(long wanted) throws IOException {
    long to = Math.min(segmentEnd(end, wanted), end + headMax);
    Segment head = reader.fetchAhead(end, to, openTo(to), null, passed);
    if (head == null) {
      // Who waits for the buffers of others must hold none.
      forgetPassed();
      head = reader.fetchNow(end, to, openTo(to), null, Collections.emptyList());
    }
    append(head);
  }

  private boolean appendAhead(long wanted) {
    long to = segmentEnd(end, wanted);
    Segment ahead = reader.fetchAhead(end, to, openTo(to), null, passed);
    if (ahead == null) {
      return false;
    }
    append(ahead);
    return true;
  }

  private void append(Segment segment) {
    segments.addLast(segment);
    end = segment.to();
  }

  /** DataNodes send all that they are asked for, so it is little more than what is fetched. */
  private long openTo(long to) {
    GroupGeometry geometry = reader.geometry();
    if (run == 0) {
      return to;
    }
    if (run >= LONG_RUN_BYTES) {
      return geometry.groupBytes();
    }
    long ahead = Math.min(geometry.groupBytes(), to + aheadBytes());
    return Math.max(geometry.stripeEnd(to - 1), ahead);
  }

  private long segmentEnd(long from, long wanted) {
    GroupGeometry geometry = reader.geometry();
    long stripe = geometry.stripeBytes();
    if (stripe > STRIPE_MAX_BYTES) {
      return Math.min(geometry.cellEnd(from), from + LANE_BYTES);
    }
    long stripeEnd = geometry.stripeEnd(from);
    long least = run == 0 ? Math.min(JUMP_BYTES, geometry.cellEnd(from) - from) : GROWTH * run;
    long bytes = Math.max(wanted, least);
    if (!isTakenWhole(from, bytes)) {
      return geometry.chunkEnd(from + bytes);
    }
    long rows = Math.max(wanted, aheadBytes() / 2) / stripe;
    long rowsMax = LANE_BYTES / geometry.cellBytes();
    long more = Math.max(0, Math.min(rows, rowsMax) - 1);
    return Math.min(geometry.groupBytes(), stripeEnd + more * stripe);
  }

  /** Returns whether a stripe is fetched to its end though less is wanted now. */
  private boolean isTakenWhole(long from, long bytes) {
    GroupGeometry geometry = reader.geometry();
    long stripe = geometry.stripeBytes();
    long stripeEnd = geometry.stripeEnd(from);
    if (geometry.groupBytes() <= Math.min(stripe, SMALL_BYTES) || from + bytes >= stripeEnd) {
      return true;
    }
    // Decoding would otherwise read what is wanted next.
    return run > 0
        ? bytes > PART_BYTES_MAX || 2 * bytes >= stripe || !isHealthy(from, stripeEnd)
        : geometry.dataUnits() * bytes >= stripeEnd - from && !isHealthy(from, from + bytes);
  }

  private boolean isHealthy(long from, long to) {
    for (int unit = 0; unit < reader.geometry().dataUnits(); unit++) {
      if (!reader.geometry().need(unit, from, to).isEmpty()
          && reader.standing(unit) != GroupKnowledge.Standing.GOOD) {
        return false;
      }
    }
    return true;
  }

  /** Puts a segment for each stripe in the place of the first. */
  private void split() {
    Segment whole = segments.pollFirst();
    whole.close();
    Deque<Segment> parts = new ArrayDeque<>();
    try {
      for (long from = whole.from(); from < whole.to(); ) {
        long to = Math.min(whole.to(), reader.geometry().stripeEnd(from));
        parts.addFirst(reader.fetchAgain(from, to, null));
        from = to;
      }
    } finally {
      parts.forEach(segments::addFirst);
    }
  }

  private void reset(long offset) {
    segments.forEach(Segment::close);
    segments.clear();
    forgetPassed();
    end = offset;
    if (isListed) {
      isListed = false;
      context.buffers().windows().remove(this);
    }
  }

  /** Leaves the group: gives up what is under way, gives all buffers back. */
  @Override
  public void close() {
    lock.lock();
    try {
      reset(0);
      if (reader != null) {
        reader.close();
        reader = null;
      }
      run = 0;
    } finally {
      lock.unlock();
    }
  }
}
