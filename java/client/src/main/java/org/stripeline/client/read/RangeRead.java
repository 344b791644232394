// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** A positional read of one block group: all of it is asked for at once, within the window. */
public final class RangeRead {
  private static final int LANE_BYTES = 1 << 20;

  /** Wider cells are read in parts, so that no buffer is as large as one. */
  private static final int WIDE_CELL_BYTES = 16 << 20;

  private final GroupReader reader;
  private final ReadContext context;
  private final Segment.Tally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();
  private Placement placement;

  /**
   * Creates a read.
   *
   * @param tally is told what was fetched, on the thread that calls {@link #read}
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
    placement = new Placement(reader.geometry(), target, from);
    long next = from;
    try {
      while (next < to || !segments.isEmpty()) {
        while (next < to && mayIssue(next)) {
          long end = segmentEnd(next, to);
          segments.addLast(reader.fetch(next, end, openTo, placement));
          next = end;
        }
        Segment head = segments.peekFirst();
        try {
          head.await();
        } catch (ExhaustedException e) {
          readByStripe(segments.pollFirst());
          continue;
        }
        finish(head);
        segments.pollFirst().close();
      }
    } finally {
      segments.forEach(Segment::close);
      segments.clear();
    }
    target.position(target.position() + (int) (to - from));
  }

  private boolean mayIssue(long next) {
    return segments.isEmpty()
        || next - segments.peekFirst().to() < context.windowBytes() && context.mayReadAhead();
  }

  private long segmentEnd(long from, long to) {
    GroupGeometry geometry = reader.geometry();
    long rows = Math.max(1, LANE_BYTES / geometry.cellBytes());
    long end = geometry.stripeEnd(from) + (rows - 1) * geometry.stripeBytes();
    if (geometry.cellBytes() > WIDE_CELL_BYTES) {
      end = Math.min(geometry.cellEnd(from), from + LANE_BYTES);
    }
    return Math.min(to, end);
  }

  private void readByStripe(Segment whole) throws IOException {
    whole.close();
    for (long from = whole.from(); from < whole.to(); ) {
      long to = Math.min(whole.to(), reader.geometry().stripeEnd(from));
      try (Segment part = reader.fetch(from, to, to, placement)) {
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
