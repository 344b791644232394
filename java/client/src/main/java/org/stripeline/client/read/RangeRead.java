// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;

/** A positional read of one block group: requests the whole range at once, within the window. */
public final class RangeRead implements Closeable {
  private static final List<Segment> NONE = Collections.emptyList();

  /** Wider cells are read in parts, so that no buffer is as large as a cell. */
  private static final int WIDE_CELL_BYTES = 16 << 20;

  private final GroupReader reader;
  private final ReadContext context;
  private final Tally tally;
  private final Deque<Segment> segments = new ArrayDeque<>();
  private Placement placement;
  private ByteBuffer target;
  private long from;
  private long to;
  private long openTo;

  /** The offset up to which the range is in the target buffer. */
  private long done;

  /** The end of the last segment. */
  private long next;

  /** The maximum bytes of a segment; reduced after the JVM has refused memory. */
  private long segmentMax = 1L << 60;

  /**
   * Creates a read.
   *
   * @param tally receives the counts of fetched bytes, on the thread that calls {@link #finish}
   */
  public RangeRead(GroupReader reader, Tally tally) {
    this.reader = reader;
    this.context = reader.context();
    this.tally = tally;
  }

  /**
   * Reads a range of the group into a buffer, whose position advances only after the whole range
   * was read.
   *
   * @param from the first byte, in the group
   * @param to the first byte after the range
   * @param openTo the offset in the group up to which readers are opened, at least {@code to}
   * @throws IOException if part of the range cannot be read
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
   * Requests as much of a range as memory permits; {@link #finish} reads the range. The parameters
   * are those of {@link #read}.
   *
   * @throws IOException if the range ends after the group
   */
  public void begin(long from, long to, long openTo, ByteBuffer target) throws IOException {
    prepare(from, to, openTo, target);
    issueAhead();
  }

  private void prepare(long from, long to, long openTo, ByteBuffer target) throws IOException {
    long end = reader.geometry().groupBytes();
    if (to > end) {
      // Segments end where the group does, so the rest would be requested without an end.
      throw new IOException(
          "Cannot read bytes "
              + from
              + " to "
              + (to - 1)
              + " of "
              + reader.group().name()
              + ": its reader knows "
              + end
              + " bytes; open the file again");
    }
    placement = new Placement(reader.geometry(), target, from);
    this.target = target;
    this.from = from;
    this.to = to;
    this.openTo = openTo;
    done = from;
    next = from;
  }

  /**
   * Waits for the requested range, then advances the position of its buffer.
   *
   * @throws IOException if part of the range cannot be read
   */
  public void finish() throws IOException {
    long memoryDeadline = 0;
    while (done < to) {
      try {
        finishHead();
      } catch (IOException | OutOfMemoryError e) {
        if (!ReadBuffers.isRefusal(e)) {
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
      readByPart(head);
    }
    segments.pollFirst().close();
    done = head.to();
  }

  /** Gives up pending reads; nothing is written to the buffer afterwards. */
  @Override
  public void close() {
    segments.forEach(Segment::close);
    segments.clear();
  }

  /** Gives up pending reads; {@link #finish} requests them again. */
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
   * Returns the end of the next segment. Stripes of which only a part is read get their own
   * segments, so that decoding one stripe does not require spans of the others.
   */
  private long wholeSegmentEnd(long from, long to) {
    GroupGeometry geometry = reader.geometry();
    if (geometry.cellBytes() > WIDE_CELL_BYTES) {
      return Math.min(to, geometry.partEnd(from));
    }
    if (to - from < geometry.cellBytes()) {
      // Decoding the end of a cell together with the beginning of the next one would require the
      // whole span between them.
      return Math.min(to, geometry.cellEnd(from));
    }
    long stripe = geometry.stripeBytes();
    long stripeEnd = geometry.stripeEnd(from);
    if (from % stripe != 0 || to <= stripeEnd) {
      return Math.min(to, stripeEnd);
    }
    long rows = Math.max(1, GroupGeometry.LANE_BYTES / geometry.cellBytes());
    return Math.min(from + rows * stripe, to - to % stripe);
  }

  private void readByPart(Segment whole) throws IOException {
    whole.close();
    for (long from = whole.from(); from < whole.to(); ) {
      long to = Math.min(whole.to(), reader.geometry().separateEnd(from));
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
