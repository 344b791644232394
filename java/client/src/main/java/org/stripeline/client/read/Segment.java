// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.client.read.shared.ReadCounters;
import org.stripeline.natives.Ticker;

/**
 * A range of a block group that is being fetched: the part of each data unit in the range and, if
 * units fail or are late, spans of other units for decoding. Every unit's part of the range is one
 * span of its internal block, and a decode covers one span of all units at once, so a span is never
 * partly decoded.
 *
 * <p>All state is guarded by this object's lock; decoding runs without it.
 */
public final class Segment implements Closeable {
  private final GroupReader reader;
  private final Ticker ticker;
  private final ReadCounters counters;
  private final GroupGeometry geometry;
  private final long from;
  private final long to;
  private final SpanPlan plan;
  private final Lateness lateness;

  /** The target of the bytes, null if it is not known yet. */
  private final Placement placement;

  private final SegmentBytes bytes;

  private boolean isDecoding;
  private boolean isComplete;
  private boolean isReleased;

  /** Set when too few units are available; only a caller that waits acts on it. */
  private boolean isExhausted;

  /** Set when hedging has no other unit to read; only waiting remains until something changes. */
  private boolean hedgingEnded;

  private IOException failure;
  private long decodeMillis;

  /** Bytes of buffers that are reserved but not taken yet. */
  private long reserved;

  private boolean isCounted;

  Segment(
      GroupReader reader,
      long from,
      long to,
      long openTo,
      Placement placement,
      List<Segment> before) {
    this.reader = reader;
    this.ticker = reader.context().ticker();
    this.counters = reader.counters();
    this.geometry = reader.geometry();
    this.from = from;
    this.to = to;
    this.placement = placement;
    this.plan = new SpanPlan(this, reader, openTo, placement, fetched(before));
    this.lateness = new Lateness(reader.context(), plan.all());
    this.bytes = new SegmentBytes(this, geometry, plan);
  }

  private static List<SpanRead> fetched(List<Segment> segments) {
    List<SpanRead> fetched = new ArrayList<>();
    for (Segment segment : segments) {
      synchronized (segment) {
        for (SpanRead read : segment.plan.all()) {
          if (read.state == SpanRead.State.DONE && read.buffer != null) {
            fetched.add(read);
          }
        }
      }
    }
    return fetched;
  }

  /** Returns the first byte of the range, in the group. */
  public long from() {
    return from;
  }

  /** Returns the first byte after the range. */
  public long to() {
    return to;
  }

  /**
   * Requests the spans that the range needs.
   *
   * @param reservedBytes the bytes reserved for its buffers
   */
  void start(long reservedBytes) {
    synchronized (this) {
      reserved = reservedBytes;
      plan.askForNeeds();
      if (!plan.isAnyMissing()) {
        unreserve();
      }
      advance();
    }
    // Earlier segments may have fetched all sources; then no lane triggers the decode.
    decodeIfReady();
  }

  /**
   * Returns a buffer for a part of this range, counted against the reservation as far as it lasts.
   */
  synchronized ByteBuffer takeBuffer(int length) {
    long counted = Math.min(reserved, ReadBuffers.sizeFor(length));
    reserved -= counted;
    return reader.takeBuffer(length, counted);
  }

  private void unreserve() {
    reader.context().buffers().unreserve(reserved);
    reserved = 0;
  }

  /**
   * Waits until the range is available.
   *
   * @throws IOException if it cannot be read; the message names file, range and the missing units
   * @throws ExhaustedException if the range as a whole cannot be read but perhaps each part of it
   *     can, by {@link GroupGeometry#separateEnd}
   */
  public void await() throws IOException {
    reader.awaits(this);
    boolean refreshed = false;
    boolean stalled = false;
    while (true) {
      boolean refresh = false;
      synchronized (this) {
        if (isComplete || failure != null) {
          break;
        }
        if (!stalled) {
          stalled = true;
          counters.add(ReadCount.STALLS, 1);
        }
        if (isExhausted) {
          if (geometry.separateEnd(from) < to) {
            throw new ExhaustedException(plan.describe());
          }
          if (refreshed) {
            fail(plan.describe());
            break;
          }
          refresh = true;
        } else {
          waitOrHedge();
        }
      }
      if (refresh) {
        refreshed = true;
        refresh();
      }
      // After hedging or a refresh, all sources may be available; then no lane triggers the decode.
      decodeIfReady();
    }
    synchronized (this) {
      if (failure != null) {
        throw failure;
      }
    }
  }

  private void refresh() {
    IOException trouble = null;
    try {
      reader.knowledge().refresh();
    } catch (IOException e) {
      trouble = e;
    }
    synchronized (this) {
      if (trouble != null) {
        IOException shown = plan.describe();
        shown.addSuppressed(trouble);
        fail(shown);
        return;
      }
      isExhausted = false;
      plan.forgetFailures();
      advance();
    }
  }

  private void waitOrHedge() throws IOException {
    try {
      if (lateness.isStandstill()) {
        fail(lateness.standstill(range()));
      } else if (lateness.await(
          this, reader.context().isHedged() && !(hedgingEnded || isDecoding))) {
        hedge();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      IOException interrupted = new InterruptedIOException("Interrupted while reading " + range());
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  private void hedge() {
    List<SpanRead> late = lateness.late();
    for (SpanRead read : late) {
      read.late = true;
      plan.doWithout(read);
    }
    advance();
    if (!hedgingEnded) {
      counters.add(ReadCount.HEDGES, late.stream().filter(read -> !read.again).count());
    }
  }

  /**
   * Called when a queued read will not run because the read before it blocks its lane; other units
   * are requested at once.
   */
  void onLaneBlocked(SpanRead read) {
    guarded(
        () -> {
          String why = "internal block " + read.unit + ": an earlier read got no answer in time";
          synchronized (this) {
            if (!markFailed(read, new IOException(why))) {
              return;
            }
            read.blocked = true;
            plan.doWithout(read);
            hedgingEnded = false;
            counters.add(ReadCount.HEDGES, 1);
            advance();
          }
          decodeIfReady();
        });
  }

  /**
   * Runs a step of a lane; an unexpected exception fails the segment, so that no caller waits
   * forever.
   */
  void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        if (!isComplete && failure == null) {
          fail(new IOException("Cannot read " + range() + ": " + e, e));
        } else {
          // The step may have completed the segment and thrown before it notified the caller.
          notifyAll();
        }
      }
    }
  }

  /** Returns whether the bytes of a read are still needed. */
  synchronized boolean isWanted(SpanRead read) {
    return read.state != SpanRead.State.ABANDONED;
  }

  /** Called by a lane before a read; returns whether the read is still needed. */
  synchronized boolean begin(SpanRead read) {
    if (read.state == SpanRead.State.ABANDONED) {
      reader.giveBuffer(read);
      return false;
    }
    read.state = SpanRead.State.RUNNING;
    read.startedNanos = ticker.nanos();
    return true;
  }

  /** Called by a lane when the span is in the buffer. */
  void done(SpanRead read) {
    guarded(() -> doneUnguarded(read));
  }

  private void doneUnguarded(SpanRead read) {
    synchronized (this) {
      if (read.state == SpanRead.State.ABANDONED) {
        reader.giveBuffer(read);
        if (read.late) {
          reader.markHealthy(read);
        }
        return;
      }
      read.state = SpanRead.State.DONE;
      read.nanos = ticker.nanos() - read.startedNanos;
      counters.add(ReadCount.BYTES_FETCHED, read.span.length());
      if (!read.late) {
        reader.recordLatency(read);
      }
      plan.arrived(read);
      hedgingEnded = false;
      advance();
    }
    decodeIfReady();
  }

  /** Called by a lane when the span cannot be read. */
  void failed(SpanRead read, IOException fault) {
    guarded(() -> failedUnguarded(read, fault));
  }

  private void failedUnguarded(SpanRead read, IOException fault) {
    synchronized (this) {
      if (!markFailed(read, fault)) {
        return;
      }
      if (ReadBuffers.isRefusal(fault)) {
        // The internal block is not at fault, and reading others instead would need more memory.
        if (!isComplete && failure == null) {
          fail(fault);
        }
        return;
      }
      reader.failed(read, fault);
      plan.doWithout(read);
      hedgingEnded = false;
      advance();
    }
    decodeIfReady();
  }

  /** Called by a lane for a read that it will not start. */
  synchronized void release(SpanRead read) {
    reader.giveBuffer(read);
  }

  /** Records the failure of a read; returns false if its bytes were no longer needed. */
  private boolean markFailed(SpanRead read, IOException fault) {
    reader.giveBuffer(read);
    if (read.state == SpanRead.State.ABANDONED) {
      return false;
    }
    read.state = SpanRead.State.FAILED;
    read.fault = fault;
    return true;
  }

  /** Completes the segment, or requests the sources that decoding still lacks. */
  private void advance() {
    lateness.changed();
    if (isComplete || isReleased || isDecoding || failure != null) {
      return;
    }
    if (!plan.isAnyMissing()) {
      if (plan.areOwnDone()) {
        complete();
      }
    } else {
      isExhausted = !plan.gatherSources();
      hedgingEnded |= plan.reinstated();
    }
    notifyAll();
  }

  private void complete() {
    isComplete = true;
    unreserve();
    giveUpPending();
    notifyAll();
  }

  private void giveUpPending() {
    for (SpanRead read : plan.all()) {
      if (read.isPending()) {
        giveUp(read);
      }
    }
  }

  private void giveUp(SpanRead read) {
    boolean isRunning = read.state == SpanRead.State.RUNNING;
    read.placeNoMore();
    read.state = SpanRead.State.ABANDONED;
    if (read.late && isComplete && plan.isOwn(read)) {
      counters.add(ReadCount.HEDGES_WON, 1);
    }
    // A read that waits for a thread is late because of other reads.
    if (read.late && isRunning && lateness.isUnusual(read)) {
      reader.markSuspect(read);
    }
    reader.cancel(read);
  }

  private void decodeIfReady() {
    Decode decode;
    synchronized (this) {
      if (isComplete || isReleased || isDecoding || failure != null || !plan.isAnyMissing()) {
        return;
      }
      decode = Decode.gather(this, reader, plan);
      isDecoding = decode != null;
    }
    if (decode != null) {
      decode.run();
    }
  }

  synchronized void decoded(Decode decode) {
    isDecoding = false;
    decode.finish(bytes);
    decodeMillis = decode.millis();
    if (isReleased) {
      giveBackAll();
    } else if (decode.failure() != null) {
      fail(decode.failure());
    } else {
      counters.add(ReadCount.DEGRADED_SEGMENTS, 1);
      counters.add(ReadCount.BYTES_DECODED, decode.bytes());
      complete();
    }
  }

  /** Fails the segment and wakes the waiting caller, if there is one. */
  synchronized void abort(String message) {
    if (!isComplete && failure == null) {
      failure = new IOException(message);
      notifyAll();
    }
  }

  private void fail(IOException cause) {
    failure = cause;
    // A caller that lacks memory waits for it and reads the range again.
    counters.add(ReadCount.FAILURES, ReadBuffers.isRefusal(cause) ? 0 : 1);
    notifyAll();
  }

  /**
   * Returns the bytes at an offset of the group, up to the end of their cell or of this range, as a
   * buffer from position to limit. Valid only after {@link #await} and until {@link #close}.
   */
  public synchronized ByteBuffer bytesAt(long offset) {
    return bytes.at(offset);
  }

  /**
   * Copies the bytes that are not yet in the caller's buffer to it. Valid only after {@link
   * #await}.
   */
  synchronized void place() {
    bytes.copyTo(placement);
  }

  /**
   * Reports what was fetched for this range to {@code tally}, once, on the thread whose statistics
   * it updates. Returns whether this call reported.
   */
  public synchronized boolean count(Tally tally) {
    if (isCounted) {
      return false;
    }
    isCounted = true;
    counters.add(ReadCount.BYTES_DELIVERED, to - from);
    for (SpanRead read : plan.all()) {
      if (read.state == SpanRead.State.DONE) {
        tally.fetched(read.span.length(), read.shortCircuit, read.distance, read.nanos / 1_000_000);
      }
    }
    if (decodeMillis > 0) {
      tally.decoded(decodeMillis);
    }
    return true;
  }

  /** Gives up pending reads and releases the buffers. */
  @Override
  public synchronized void close() {
    if (isReleased) {
      return;
    }
    isReleased = true;
    giveUpPending();
    if (!isDecoding) {
      giveBackAll();
    }
  }

  private void giveBackAll() {
    unreserve();
    bytes.release(reader);
  }

  String range() {
    return "bytes " + from + " to " + (to - 1) + " of " + reader.group().name();
  }
}
