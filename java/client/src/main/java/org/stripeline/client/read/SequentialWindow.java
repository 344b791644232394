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
import org.stripeline.client.StackRoom;
import org.stripeline.client.read.shared.IdleWindows;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;

/**
 * The segments at and ahead of the position of a sequential reader in a block group. The amount
 * fetched grows with the bytes read since the last seek: first a packet, then more of the stripe,
 * then whole stripes. Read-ahead is at most a quarter of what has been read. DataNodes therefore
 * read no more than for Hadoop's client, which fetches the rest of the stripe at once. For one
 * thread at a time; between {@link #begin} and {@link #end}, other threads cannot reclaim the
 * buffers.
 */
public final class SequentialWindow implements Closeable, IdleWindows.Window {
  /**
   * A reader at the beginning of a group probably continues: it counts as having read a stripe,
   * within these bounds.
   */
  private static final long FIRST_BYTES_MIN = 1 << 20;

  private static final long FIRST_BYTES_MAX = 4 << 20;

  /** The minimum that is fetched after a seek, within a cell: the size of a DataNode's packet. */
  private static final long JUMP_BYTES = 64 << 10;

  /**
   * A group of one stripe up to this size is fetched to its end, because readers often seek within
   * it.
   */
  private static final long SMALL_BYTES = 1 << 20;

  /** Within a stripe, a segment is this many times as large as what has been read. */
  private static final int GROWTH = 4;

  /** The maximum size of a partial segment; beyond it, the rest of the stripe is fetched. */
  private static final long PART_BYTES_MAX = 256 << 10;

  /** This fraction of what has been read is fetched ahead. */
  private static final int AHEAD_PART = 4;

  /**
   * The run length after which readers are opened to the end of the group, as Hadoop's always are.
   */
  private static final long LONG_RUN_BYTES = 8 << 20;

  /** Stripes larger than this are fetched in parts of a cell. */
  private static final long STRIPE_MAX_BYTES = 64 << 20;

  private static final long UNBOUNDED = 1L << 60;

  private final ReadContext context;
  private final Tally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();

  /** Held while segments are used or closed, by the stream or by a thread that reclaims buffers. */
  private final ReentrantLock lock = new ReentrantLock();

  private boolean isListed;
  private volatile boolean isUsedSinceSweep;

  /** Segments behind the position in the stripe that is read in parts; decoding may need them. */
  private final List<Segment> passed = new ArrayList<>();

  private GroupReader reader;

  /** The end of the last segment, where the next one begins. */
  private long end;

  /** The number of bytes that were read sequentially so far. */
  private long run;

  /** The maximum bytes of the next segment; reduced after the JVM has refused memory. */
  private long headMax = UNBOUNDED;

  /**
   * Creates a window of a stream.
   *
   * @param tally receives the counts of fetched bytes, on the thread that calls {@link #at}
   */
  public SequentialWindow(ReadContext context, Tally tally) {
    this.context = context;
    this.tally = tally;
  }

  /** Begins a read: no buffers are reclaimed until it ends. */
  public void begin() {
    lock.lock();
  }

  /** Ends a read; the segments that it returned must no longer be used. */
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

  @Override
  public boolean isUsedSinceSweep() {
    return isUsedSinceSweep;
  }

  @Override
  public void markSwept() {
    isUsedSinceSweep = false;
  }

  /**
   * Releases all buffers unless the stream is reading; the next read fetches only what it needs.
   * Returns whether there were any buffers.
   */
  @Override
  public boolean putAway() {
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

  /** Enters another group. */
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
   * Returns the segment that holds an offset of the group, waiting until its bytes are available.
   *
   * @param wanted the number of bytes from {@code offset} that the caller needs, at least 1
   * @throws IOException if they cannot be read
   */
  public Segment at(long offset, long wanted) throws IOException {
    // Checked only here, because small reads of bytes that are there are frequent.
    if (!hasFetched(offset, wanted)) {
      StackRoom.require();
    }
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
        if (!ReadBuffers.isRefusal(e)) {
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
    long headEnd = segments.peekFirst().to();
    long wantedEnd = wantedEnd(offset, wanted);
    boolean isGranted = headMax == UNBOUNDED;
    while (isGranted && mayFetch(headEnd, wantedEnd)) {
      isGranted = appendAhead(wantedEnd - end);
    }
    while (isGranted && mayReadAhead(headEnd)) {
      isGranted = appendAhead(1);
    }
  }

  private long wantedEnd(long offset, long wanted) {
    return Math.min(reader.geometry().groupBytes(), offset + wanted);
  }

  private boolean mayFetch(long headEnd, long wantedEnd) {
    return end < wantedEnd
        && end % reader.geometry().stripeBytes() == 0
        && end - headEnd < context.windowBytes();
  }

  private boolean mayReadAhead(long headEnd) {
    return end < reader.geometry().groupBytes() && end - headEnd < aheadBytes() && mayGoOn();
  }

  /** Returns whether a read at this offset needs nothing but what was fetched before. */
  private boolean hasFetched(long offset, long wanted) {
    Segment head = segments.peekFirst();
    return head != null
        && head.from() <= offset
        && offset < head.to()
        && !mayFetch(head.to(), wantedEnd(offset, wanted))
        && !mayReadAhead(head.to());
  }

  private long aheadBytes() {
    return Math.min(context.windowBytes(), run / AHEAD_PART);
  }

  /**
   * Returns whether read-ahead may continue. Parts of a stripe are fetched only when they are
   * needed, and the next stripe is not fetched ahead of them.
   */
  private boolean mayGoOn() {
    GroupGeometry geometry = reader.geometry();
    return geometry.stripeBytes() > STRIPE_MAX_BYTES
        || end % geometry.stripeBytes() == 0 && isStripeByStripe();
  }

  /** Returns whether whole stripes are fetched, one after the other. */
  private boolean isStripeByStripe() {
    long stripe = reader.geometry().stripeBytes();
    return stripe <= STRIPE_MAX_BYTES && run >= Math.min(stripe, FIRST_BYTES_MAX);
  }

  private void appendHead(long wanted) throws IOException {
    long to = Math.min(segmentEnd(end, wanted), end + headMax);
    Segment head = reader.fetchAhead(end, to, openTo(to), null, passed);
    if (head == null) {
      // A thread that waits for the buffers of others must hold none.
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

  /**
   * Returns the offset up to which readers are opened for the next segment. DataNodes send
   * everything that was requested, but every opening is a request, which costs a DataNode as much
   * processor time as hundreds of KiB of data. So readers are opened for the stripes that are
   * fetched ahead at once, for as much more as has been read, and for a short rest of the group.
   */
  private long openTo(long to) {
    GroupGeometry geometry = reader.geometry();
    long groupEnd = geometry.groupBytes();
    if (run == 0) {
      return to;
    }
    if (run >= LONG_RUN_BYTES) {
      return groupEnd;
    }
    if (!isStripeByStripe()) {
      return Math.max(geometry.stripeEnd(to - 1), Math.min(groupEnd, to + aheadBytes()));
    }
    long openTo = geometry.stripeEnd(Math.min(groupEnd, to + run) - 1);
    return 2 * (groupEnd - openTo) <= openTo - end ? groupEnd : openTo;
  }

  private long segmentEnd(long from, long wanted) {
    GroupGeometry geometry = reader.geometry();
    long stripe = geometry.stripeBytes();
    if (stripe > STRIPE_MAX_BYTES) {
      return geometry.partEnd(from);
    }
    long stripeEnd = geometry.stripeEnd(from);
    if (geometry.separateEnd(from) < stripeEnd && !isHealthy(from, stripeEnd)) {
      // Other cells seldom help to decode one at the end of an open group: none waits for another.
      return geometry.separateEnd(from);
    }
    long least = run == 0 ? Math.min(JUMP_BYTES, geometry.cellEnd(from) - from) : GROWTH * run;
    long bytes = Math.max(wanted, least);
    if (!isTakenWhole(from, bytes)) {
      return geometry.chunkEnd(from + bytes);
    }
    long rows = Math.max(wanted, aheadBytes() / 2) / stripe;
    long rowsMax = GroupGeometry.LANE_BYTES / geometry.cellBytes();
    long more = Math.max(0, Math.min(rows, rowsMax) - 1);
    return Math.min(geometry.groupBytes(), stripeEnd + more * stripe);
  }

  /** Returns whether a stripe is fetched to its end although fewer bytes are needed now. */
  private boolean isTakenWhole(long from, long bytes) {
    GroupGeometry geometry = reader.geometry();
    long stripe = geometry.stripeBytes();
    long stripeEnd = geometry.stripeEnd(from);
    if (geometry.groupBytes() <= Math.min(stripe, SMALL_BYTES) || from + bytes >= stripeEnd) {
      return true;
    }
    // Otherwise decoding would read the bytes that are needed next.
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

  /** Replaces the first segment with a segment for each of its parts that may be readable. */
  private void split() {
    Segment whole = segments.pollFirst();
    whole.close();
    Deque<Segment> parts = new ArrayDeque<>();
    try {
      for (long from = whole.from(); from < whole.to(); ) {
        long to = Math.min(whole.to(), reader.geometry().separateEnd(from));
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

  /** Leaves the group: gives up pending reads and releases all buffers. */
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
