// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.stripeline.client.read.GroupKnowledge.Standing;

/** The lanes into one block group, for one caller at a time. */
public final class GroupReader implements Closeable {
  /** Where memory is short, a caller gets this much at a time. */
  static final long PIECE_BYTES = 64 << 10;

  private final ReadContext context;
  private final GroupKnowledge knowledge;
  private final ReadCounters counters;
  private final Lane[] lanes;
  private final ReadBuffers.Waiter memory;

  /** What the caller does before it waits for memory. */
  private Runnable beforeWaiting = () -> {};

  private boolean closed;

  /** What the caller waits for, or did last. Guarded by {@code lanes}. */
  private Segment awaited;

  /** Why callers must not wait any more. Guarded by {@code lanes}. */
  private String abortion;

  /**
   * Creates a reader; nothing is opened before it is needed.
   *
   * @param counters count for the stream
   */
  public GroupReader(ReadContext context, GroupKnowledge knowledge, ReadCounters counters) {
    this.context = context;
    this.knowledge = knowledge;
    this.counters = counters;
    this.lanes = new Lane[knowledge.geometry().units()];
    this.memory = context.buffers().newWaiter();
  }

  /** Has the caller do something before it waits for memory: it must hold none then. */
  public void beforeWaiting(Runnable step) {
    beforeWaiting = step;
  }

  ReadContext context() {
    return context;
  }

  ReadCounters counters() {
    return counters;
  }

  GroupKnowledge knowledge() {
    return knowledge;
  }

  BlockGroup group() {
    return knowledge.group();
  }

  GroupGeometry geometry() {
    return knowledge.geometry();
  }

  /**
   * Returns a buffer of the kind that the group's decoder wants, its limit at its capacity.
   *
   * @param reserved how much of its capacity is reserved already
   */
  ByteBuffer takeBuffer(int bytes, long reserved) {
    return context.buffers().take(bytes, group().prefersDirectBuffers(), reserved);
  }

  void giveBuffer(ByteBuffer buffer) {
    context.buffers().give(buffer);
  }

  Standing standing(int unit) {
    return knowledge.standing(unit, context.health());
  }

  /** Returns whether a unit may be asked as readily as any, and then must be. */
  boolean admits(int unit) {
    if (standing(unit) != Standing.GOOD) {
      knowledge.look(context);
    }
    return knowledge.admits(unit, context.health());
  }

  /**
   * Takes note that an internal block could not be read, unless that is because of {@link #close}.
   */
  void failed(SpanRead read, IOException fault) {
    synchronized (lanes) {
      if (closed) {
        return;
      }
    }
    if (fault instanceof CorruptUnitException) {
      counters.add(ReadCount.CORRUPTIONS, 1);
    }
    knowledge.failed(read, fault, context.health());
  }

  /** Takes note that a unit was so late that others were read in its stead. */
  void markSuspect(SpanRead read) {
    if (read.replica != null) {
      read.replica.markSuspect(
          context.health(), "internal block " + read.unit + " of " + group().name() + " is late");
    }
  }

  void submit(SpanRead read) {
    Lane lane;
    synchronized (lanes) {
      if (lanes[read.unit] == null) {
        lanes[read.unit] = new Lane(group(), read.unit, context);
      }
      lane = lanes[read.unit];
      read.replica = knowledge.replica(read.unit);
      lane.submit(read);
    }
  }

  /**
   * Gives a read up. Where it holds its lane up, what waits behind it goes to a fresh lane, or to
   * other units if it is the DataNode or its disk that holds it up.
   */
  void cancel(SpanRead read) {
    synchronized (lanes) {
      Lane lane = read.lane;
      if (!lane.cancel(read) || lanes[read.unit] != lane) {
        return;
      }
      List<SpanRead> waiting = lane.retire();
      lanes[read.unit] = null;
      Replica replica = knowledge.replica(read.unit);
      boolean isSuspect = replica != null && replica.isSuspect(context.health());
      for (SpanRead next : waiting) {
        if (!isSuspect) {
          submit(next);
        } else {
          // On another thread, since the lock of the segment that gives up is held here.
          context.threads().executeAside(() -> next.segment.onLaneBlocked(next));
        }
      }
    }
  }

  /**
   * Begins to fetch a range of the group that a caller waits for; only the beginning of it where
   * memory is short. The caller must not hold segments that others may wait for.
   *
   * @param from first byte of the range, in the group
   * @param to first byte after it
   * @param openTo up to where of the group readers are opened that must be opened for this, so that
   *     what follows finds them open
   * @param placement where the bytes belong, null for buffers of the segment's own
   * @param before segments that are there, and stay until this one is: decoding takes from them
   *     what they have
   */
  Segment fetchNow(long from, long to, long openTo, Placement placement, List<Segment> before)
      throws IOException {
    long share = context.buffers().share();
    long end = to - from > share ? Math.min(to, pieceEnd(from, from + share)) : to;
    long bytes = bufferBytes(from, end, placement != null);
    while (!context.buffers().tryReserve(bytes)) {
      if (end - from <= PIECE_BYTES) {
        beforeWaiting.run();
        if (!context.buffers().reserve(bytes, memory)) {
          throw aborted();
        }
        break;
      }
      end = pieceEnd(from, from + (end - from) / 2);
      bytes = bufferBytes(from, end, placement != null);
    }
    return fetch(from, end, openTo, placement, before, bytes);
  }

  /** Returns where a piece ends that is not much larger than the least, at an even offset. */
  private static long pieceEnd(long from, long to) {
    return Math.max(to, from + PIECE_BYTES) / PIECE_BYTES * PIECE_BYTES;
  }

  /** Begins to fetch a range ahead of the caller; returns null where memory is short. */
  Segment fetchAhead(long from, long to, long openTo, Placement placement, List<Segment> before) {
    long bytes = bufferBytes(from, to, placement != null);
    if (!context.buffers().tryReserveAhead(bytes)) {
      return null;
    }
    try {
      return fetch(from, to, openTo, placement, before, bytes);
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Begins to fetch a part of a range that was given up, wherever memory for it comes from. */
  Segment fetchAgain(long from, long to, Placement placement) {
    return fetch(from, to, to, placement, Collections.emptyList(), 0);
  }

  private Segment fetch(
      long from, long to, long openTo, Placement placement, List<Segment> before, long reserved) {
    Segment segment = null;
    boolean done = false;
    try {
      segment = new Segment(this, from, to, openTo, placement, before);
      counters.add(ReadCount.SEGMENTS, 1);
      segment.start(reserved);
      done = true;
    } finally {
      if (segment == null) {
        context.buffers().unreserve(reserved);
      } else if (!done) {
        segment.close();
      }
    }
    return segment;
  }

  /** Called by a segment before a caller waits for it. */
  void awaits(Segment segment) throws IOException {
    synchronized (lanes) {
      if (abortion != null) {
        throw aborted();
      }
      awaited = segment;
    }
  }

  private IOException aborted() {
    synchronized (lanes) {
      return new IOException(abortion);
    }
  }

  /**
   * Makes the caller that waits for a segment or for memory fail, and every one after it; for other
   * threads than the caller's, which closes the reader then.
   */
  public void abort(String message) {
    Segment segment;
    synchronized (lanes) {
      abortion = message;
      segment = awaited;
    }
    memory.cancel();
    if (segment != null) {
      segment.abort(message);
    }
  }

  /**
   * Waits for memory after it was refused; the caller holds no buffers.
   *
   * @param memoryDeadline what the call before returned in the same read, 0 at first
   * @return when to give up, by {@link System#nanoTime}
   * @throws IOException if that time is over
   */
  long awaitMemory(Throwable cause, long memoryDeadline) throws IOException {
    beforeWaiting.run();
    ReadBuffers buffers = context.buffers();
    long end = memoryDeadline == 0 ? buffers.waitsUntil() : memoryDeadline;
    if (!buffers.awaitRoom(end, memory)) {
      if (memory.isCancelled()) {
        throw aborted();
      }
      throw new IOException(
          "Cannot read "
              + group().name()
              + ": the JVM has no memory for buffers, and other streams gave none back in time;"
              + " raise -XX:MaxDirectMemorySize, or read with fewer threads",
          cause);
    }
    return end;
  }

  /**
   * Returns the bytes of buffers that it takes to fetch a range, and to decode what is lost of it.
   */
  private long bufferBytes(long from, long to, boolean isPlaced) {
    GroupGeometry geometry = geometry();
    long sum = 0;
    int lost = 0;
    Span lostSpan = Span.EMPTY;
    for (int unit = 0; unit < geometry.dataUnits(); unit++) {
      Span exact = geometry.need(unit, from, to);
      Span whole = geometry.wholeChunks(unit, exact);
      if (whole.isEmpty()) {
        continue;
      }
      if (!isPlaced || !exact.covers(whole)) {
        sum += ReadBuffers.sizeFor(whole.length());
      }
      if (standing(unit) != Standing.GOOD) {
        lost++;
        lostSpan = lostSpan.union(whole);
      }
    }
    if (lost == 0) {
      return sum;
    }
    long ofDecoding = ReadBuffers.sizeFor(lostSpan.length()) * (long) (geometry.dataUnits() + lost);
    return Math.max(sum, ofDecoding);
  }

  /** Ends all lanes; reads under way are given up. Segments must have been released before. */
  @Override
  public void close() {
    List<Lane> open = new ArrayList<>();
    synchronized (lanes) {
      closed = true;
      for (int unit = 0; unit < lanes.length; unit++) {
        if (lanes[unit] != null) {
          open.add(lanes[unit]);
          lanes[unit] = null;
        }
      }
    }
    for (Lane lane : open) {
      lane.retire();
    }
  }
}
