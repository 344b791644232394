// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.stripeline.client.read.GroupKnowledge.Standing;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.client.read.shared.ReadCounters;
import org.stripeline.natives.Ticker;

/** The lanes that read one block group, for one caller at a time. */
public final class GroupReader implements Closeable {
  /** The size of the smallest range that is fetched when memory is short. */
  static final long PIECE_BYTES = 64 << 10;

  private final ReadContext context;
  private final GroupKnowledge knowledge;
  private final ReadCounters counters;
  private final Lane[] lanes;
  private final ReadBuffers.Waiter memory;

  /** The action to run before the caller waits for memory. */
  private Runnable beforeWaiting = () -> {};

  private boolean closed;

  /** The segment that the caller waits for or waited for last. Guarded by {@code lanes}. */
  private Segment awaited;

  /**
   * The message of the exception that callers get after {@link #abort}, or null. Guarded by {@code
   * lanes}.
   */
  private String abortion;

  /**
   * Creates a reader; nothing is opened before it is needed.
   *
   * @param counters the counters of the stream
   */
  public GroupReader(ReadContext context, GroupKnowledge knowledge, ReadCounters counters) {
    this.context = context;
    this.knowledge = knowledge;
    this.counters = counters;
    this.lanes = new Lane[knowledge.geometry().units()];
    this.memory = context.buffers().newWaiter();
  }

  /**
   * Sets the action to run before the caller waits for memory. The action must release the caller's
   * buffers.
   */
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
   * Returns a buffer of the kind that the group's decoder prefers, with its limit at its capacity.
   *
   * @param reserved bytes of its capacity that are already reserved
   */
  ByteBuffer takeBuffer(int bytes, long reserved) {
    return context.buffers().take(bytes, group().prefersDirectBuffers(), reserved);
  }

  void giveBuffer(ByteBuffer buffer) {
    context.buffers().give(buffer);
  }

  /** Takes the buffer of a read back, if it has one; called with the lock of its segment held. */
  void giveBuffer(SpanRead read) {
    if (read.buffer != null) {
      giveBuffer(read.buffer);
      read.buffer = null;
    }
  }

  Standing standing(int unit) {
    return knowledge.standing(unit, context.health());
  }

  /**
   * Returns whether a unit may be read without a preference for others; the caller must then read
   * from it.
   */
  boolean admits(int unit) {
    if (standing(unit) != Standing.GOOD) {
      knowledge.look(context);
    }
    return knowledge.admits(unit, context.health());
  }

  /**
   * Records that an internal block could not be read, unless the read failed because of {@link
   * #close}.
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

  /** Records that a unit was so late that other units were read instead. */
  void markSuspect(SpanRead read) {
    if (read.replica != null) {
      read.replica.markSuspect(
          context.health(), "internal block " + read.unit + " of " + group().name() + " is late");
    }
  }

  /** Records how long a span took that arrived in time. */
  void recordLatency(SpanRead read) {
    context.latency().sample(read.span.length(), read.nanos);
    markHealthy(read);
    context.nodeLatencies().sample(read.node, read.nanos);
  }

  /** Records that a DataNode has answered; it may differ from the one that was chosen first. */
  void markHealthy(SpanRead read) {
    if (read.replica != null && read.replica.node().equals(read.node)) {
      read.replica.markHealthy(context.health());
    } else {
      context.health().markHealthy(read.node);
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
   * Gives up a read. If it blocks its lane, the reads queued behind it go to a new lane, or to
   * other units if the DataNode or its disk is suspect.
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
          // On another thread, because the lock of the segment that gives up is held here.
          context.threads().executeAside(() -> next.segment.onLaneBlocked(next));
        }
      }
    }
  }

  /**
   * Starts to fetch a range of the group that a caller waits for; if memory is short, only the
   * beginning of the range. The caller must not hold segments that other callers may wait for.
   *
   * @param from the first byte of the range, in the group
   * @param to the first byte after the range
   * @param openTo the offset in the group up to which new readers are opened, so that later reads
   *     find them open
   * @param placement the target of the bytes, null for buffers of the segment's own
   * @param before completed segments that are kept until this one is complete: decoding reuses
   *     their bytes
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

  /**
   * Returns {@code to}, or the end of a piece of the minimum size if that is later, rounded down to
   * a multiple of the minimum size.
   */
  private static long pieceEnd(long from, long to) {
    return Math.max(to, from + PIECE_BYTES) / PIECE_BYTES * PIECE_BYTES;
  }

  /** Starts to fetch a range ahead of the caller; returns null if memory is short. */
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

  /** Starts to fetch a part of a range that was given up, without a reservation of memory. */
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

  /**
   * Forgets the segment that the caller waited for last, which may refer to the caller's buffer.
   */
  void awaitsNothing() {
    synchronized (lanes) {
      awaited = null;
    }
  }

  private IOException aborted() {
    synchronized (lanes) {
      return new IOException(abortion);
    }
  }

  /**
   * Makes the caller's current wait for a segment or for memory fail, and every later one. Called
   * by other threads; the caller's thread closes the reader afterwards.
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
   * Waits for memory after an allocation failed; the caller holds no buffers.
   *
   * @param memoryDeadline the result of the previous call in the same read, 0 for the first call
   * @return the time at which to give up, by {@link Ticker#SYSTEM}
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
      counters.add(ReadCount.FAILURES, 1);
      throw new IOException(
          "Cannot read "
              + group().name()
              + ": the JVM has no memory for buffers, and other streams released none in time;"
              + " raise -XX:MaxDirectMemorySize, or read with fewer threads",
          cause);
    }
    return end;
  }

  /** Returns the bytes of buffers that are needed to fetch a range and to decode its lost parts. */
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

  /**
   * Ends all lanes and gives up the reads in progress. The segments must have been released before.
   */
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
