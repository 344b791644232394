// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The segments at and ahead of the position of a reader that goes through a block group. It begins
 * with what the first read wants and doubles what it fetches ahead while reads follow on each
 * other, so that a reader which jumps about fetches little that it does not use. Not thread-safe.
 */
public final class SequentialWindow implements Closeable {
  /** What a reader at the beginning of a file, who is likely to go on, gets first. */
  private static final long FIRST_BYTES = 4 << 20;

  /** Small cells are fetched so many bytes of an internal block at a time. */
  private static final int LANE_BYTES = 1 << 20;

  /** Stripes that are larger than this are fetched a cell's part at a time. */
  private static final long STRIPE_MAX_BYTES = 64 << 20;

  private final ReadContext context;
  private final Segment.Tally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();
  private GroupReader reader;

  /** Where the segments end: the next one begins here. */
  private long end;

  private long aheadBytes;
  private boolean isSequential;

  /**
   * Creates a window of a stream.
   *
   * @param tally is told what was fetched, on the thread that calls {@link #at}
   */
  public SequentialWindow(ReadContext context, Segment.Tally tally) {
    this.context = context;
    this.tally = tally;
  }

  /** Goes to another group. */
  public void enter(GroupReader next) {
    boolean goesOn = reader != null && isSequential && end == reader.geometry().groupBytes();
    long ahead = aheadBytes;
    close();
    reader = next;
    end = 0;
    isSequential = goesOn;
    aheadBytes = goesOn ? ahead : 0;
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
    moveTo(offset, wanted);
    while (true) {
      Segment head = segments.peekFirst();
      try {
        head.await();
        if (head.count(tally)) {
          reader.counters().add(ReadCount.WINDOW_OCCUPANCY, segments.size());
        }
        return head;
      } catch (ExhaustedException e) {
        split();
        moveTo(offset, wanted);
      } catch (IOException | RuntimeException e) {
        reset(offset);
        throw e;
      }
    }
  }

  private void moveTo(long offset, long wanted) {
    boolean jumped = segments.isEmpty() ? offset != end : isOutside(offset);
    if (jumped) {
      reset(offset);
      isSequential = false;
      aheadBytes = 0;
    }
    if (aheadBytes == 0) {
      isSequential = offset == 0;
      aheadBytes = offset == 0 ? Math.max(wanted, FIRST_BYTES) : wanted;
    }
    while (!segments.isEmpty() && segments.peekFirst().to() <= offset) {
      segments.pollFirst().close();
      isSequential = true;
      aheadBytes = Math.max(aheadBytes, Math.min(context.windowBytes(), 2 * aheadBytes));
    }
    extend(offset, wanted);
  }

  private boolean isOutside(long offset) {
    return offset < segments.peekFirst().from() || offset > end;
  }

  private void extend(long offset, long wanted) {
    long groupBytes = reader.geometry().groupBytes();
    if (segments.isEmpty()) {
      append(Math.max(aheadBytes, wanted));
    }
    long headEnd = segments.peekFirst().to();
    while (isSequential
        && end < groupBytes
        && end - headEnd < Math.min(aheadBytes, context.windowBytes())
        && context.mayReadAhead()) {
      append(aheadBytes);
    }
  }

  private void append(long bytes) {
    long to = segmentEnd(end, bytes);
    long openTo = isSequential ? reader.geometry().groupBytes() : to;
    segments.addLast(reader.fetch(end, to, openTo));
    end = to;
  }

  private long segmentEnd(long from, long bytes) {
    GroupGeometry geometry = reader.geometry();
    long stripe = geometry.stripeBytes();
    if (stripe > STRIPE_MAX_BYTES) {
      return Math.min(geometry.cellEnd(from), from + LANE_BYTES);
    }
    long stripeEnd = geometry.stripeEnd(from);
    if (from + bytes <= stripeEnd) {
      // Sequential readers get whole stripes, or decoding would read the same parity several times.
      return isSequential ? stripeEnd : from + bytes;
    }
    long rows = Math.max(1, Math.min(LANE_BYTES / geometry.cellBytes(), bytes / stripe));
    return Math.min(geometry.groupBytes(), stripeEnd + (rows - 1) * stripe);
  }

  /** Puts a segment for each stripe in the place of the first. */
  private void split() {
    Segment whole = segments.pollFirst();
    whole.close();
    Deque<Segment> parts = new ArrayDeque<>();
    for (long from = whole.from(); from < whole.to(); ) {
      long to = Math.min(whole.to(), reader.geometry().stripeEnd(from));
      parts.addFirst(reader.fetch(from, to, to));
      from = to;
    }
    parts.forEach(segments::addFirst);
  }

  private void reset(long offset) {
    segments.forEach(Segment::close);
    segments.clear();
    end = offset;
  }

  /** Leaves the group: gives up what is under way, gives all buffers back. */
  @Override
  public void close() {
    reset(0);
    if (reader != null) {
      reader.close();
      reader = null;
    }
    aheadBytes = 0;
  }
}
