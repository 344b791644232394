// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** A positional read of one block group: all of it is asked for at once, within the window. */
public final class RangeRead implements Closeable {
  private static final int LANE_BYTES = 1 << 20;
  private static final List<Segment> NONE = Collections.emptyList();

  /** Wider cells are read in parts, so that no buffer is as large as one. */
  private static final int WIDE_CELL_BYTES = 16 << 20;

  private final GroupReader reader;
  private final ReadContext context;
  private final Segment.Tally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();
  private Placement placement;
  private ByteBuffer target;
  private long from;
  private long to;
  private long openTo;

  /** Up to where the range is in its buffer. */
  private long done;

  /** Where the segments end. */
  private long next;

  /** Most bytes of a segment; less where the JVM has refused memory. */
  private long segmentMax = 1L << 60;

  /**
   * Creates a read.
   *
   * @param tally is told what was fetched, on the thread that calls {@link #finish}
   */
  public RangeRead(GroupReader reader, Segment.Tally tally) {
    this.reader = reader;
    this.context = reader.context();
    this.tally = tally;
  }

  /**
   * Reads a range of the group into a buffer, whose position moves on if all of it is there.
   *
   * @param from first byte, in the group
   * @param to first byte after
   * @param openTo up to where of the group readers are opened, at least {@code to}
   * @throws IOException if part of the range cannot be had
   */
  public void read(long from, long to, long openTo, ByteBuffer target) throws IOException {
    try {
      prepare(from, to, openTo, target);
      finish();
    } finally {
      close();
    }
  }

  /**
   * Asks for a range as far as there is memory; {@link #finish} reads it. The parameters are those
   * of {@link #read}.
   */
  public void begin(long from, long to, long openTo, ByteBuffer target) {
    prepare(from, to, openTo, target);
    issueAhead();
  }

  private void prepare(long from, long to, long openTo, ByteBuffer target) {
    placement = new Placement(reader.geometry(), target, from);
    this.target = target;
    this.from = from;
    this.to = to;
    this.openTo = openTo;
    done = from;
    next = from;
  }

  /**
   * Waits for the range that was asked for, after which the position of its buffer moves on.
   *
   * @throws IOException if part of the range cannot be had
   */
  public void finish() throws IOException {
    long memoryDeadline = 0;
    while (done < to) {
      try {
        finishHead();
      } catch (IOException | OutOfMemoryError e) {
        if (!Segment.isForMemory(e)) {
          throw e;
        }
        close();
        next = done;
        segmentMax = GroupReader.PIECE_BYTES;
        memoryDeadline = reader.awaitMemory(e, memoryDeadline);
      }
    }
    target.position(target.position() + (int) (to - from));
  }

  private void finishHead() throws IOException {
    if (segments.isEmpty()) {
      segments.addLast(reader.fetchNow(done, segmentEnd(done, to), openTo, placement, NONE));
      next = segments.peekLast().to();
    }
    issueAhead();
    Segment head = segments.peekFirst();
    try {
      head.await();
      finish(head);
    } catch (ExhaustedException e) {
      readByStripe(head);
    }
    segments.pollFirst().close();
    done = head.to();
  }

  /** Gives up what is under way; nothing is put into the buffer any more. */
  @Override
  public void close() {
    segments.forEach(Segment::close);
    segments.clear();
  }

  /** Gives up what is under way; {@link #finish} asks for it again. */
  public void giveUp() {
    close();
    next = done;
  }

  private void issueAhead() {
    while (next < to
        && (segments.isEmpty() || next - segments.peekFirst().to() < context.windowBytes())) {
      Segment ahead = reader.fetchAhead(next, segmentEnd(next, to), openTo, placement, NONE);
      if (ahead == null) {
        return;
      }
      segments.addLast(ahead);
      next = ahead.to();
    }
  }

  private long segmentEnd(long from, long to) {
    return Math.min(wholeSegmentEnd(from, to), from + segmentMax);
  }

  /**
   * Stripes of which only a part is read are read by themselves: what decoding wants of a DataNode
   * for one stripe it then does not want of others.
   */
  private long wholeSegmentEnd(long from, long to) {
    GroupGeometry geometry = reader.geometry();
    if (geometry.cellBytes() > WIDE_CELL_BYTES) {
      return Math.min(to, Math.min(geometry.cellEnd(from), from + LANE_BYTES));
    }
    if (to - from < geometry.cellBytes()) {
      // Decoding the end of a cell and the begin of the next at once would want all between.
      return Math.min(to, geometry.cellEnd(from));
    }
    long stripe = geometry.stripeBytes();
    long stripeEnd = geometry.stripeEnd(from);
    if (from % stripe != 0 || to <= stripeEnd) {
      return Math.min(to, stripeEnd);
    }
    long rows = Math.max(1, LANE_BYTES / geometry.cellBytes());
    return Math.min(from + rows * stripe, to - to % stripe);
  }

  private void readByStripe(Segment whole) throws IOException {
    whole.close();
    for (long from = whole.from(); from < whole.to(); ) {
      long to = Math.min(whole.to(), reader.geometry().stripeEnd(from));
      try (Segment part = reader.fetchAgain(from, to, placement)) {
        part.await();
        finish(part);
      }
      from = to;
    }
  }

  private void finish(Segment segment) {
    segment.count(tally);
    segment.place();
  }
}
