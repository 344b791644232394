// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

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
  private final ReadContext context;
  private final ReadCounters counters;
  private final GroupGeometry geometry;
  private final long from;
  private final long to;
  private final SpanPlan plan;
  private final Lateness lateness;

  /** The target of the bytes, null if it is not known yet. */
  private final Placement placement;

  /** The decoded units, each over {@link SpanPlan#decodeSpan}. */
  private final ByteBuffer[] decoded;

  private boolean isDecoding;
  private boolean isComplete;
  private boolean isReleased;

  /** Set when too few units are available; only a caller that waits acts on it. */
  private boolean isExhausted;

  /** Set when hedging has no other unit to read; only waiting remains until something changes. */
  private boolean hedgingEnded;

  private final Standstill standstill;

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
    this.context = reader.context();
    this.counters = reader.counters();
    this.geometry = reader.geometry();
    this.from = from;
    this.to = to;
    this.placement = placement;
    this.standstill = new Standstill(context.socketTimeoutMillis());
    this.plan = new SpanPlan(this, reader, openTo, placement, fetched(before));
    this.lateness = new Lateness(context, plan.all());
    this.decoded = new ByteBuffer[geometry.units()];
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
   * @param bytes the bytes reserved for its buffers
   */
  void start(long bytes) {
    synchronized (this) {
      reserved = bytes;
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
  synchronized ByteBuffer takeBuffer(int bytes) {
    long counted = Math.min(reserved, ReadBuffers.sizeFor(bytes));
    reserved -= counted;
    return reader.takeBuffer(bytes, counted);
  }

  private void unreserve() {
    context.buffers().unreserve(reserved);
    reserved = 0;
  }

  /**
   * Waits until the range is available.
   *
   * @throws IOException if it cannot be read; the message names file, range and the missing units
   * @throws ExhaustedException if the range as a whole cannot be read but perhaps each stripe of it
   *     can
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
          if (geometry.stripeEnd(from) < to) {
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
    long now = System.nanoTime();
    boolean mayHedge = context.isHedged() && !hedgingEnded;
    long untilLateNanos = mayHedge ? lateness.untilLateNanos(now) : Long.MAX_VALUE;
    try {
      if (untilLateNanos == Long.MAX_VALUE) {
        waitForAnything();
      } else if (untilLateNanos > 0) {
        wait(untilLateNanos / 1_000_000, (int) (untilLateNanos % 1_000_000));
      } else {
        hedge(now);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("Interrupted while reading " + range());
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /**
   * Waits for any change. Every read ends with its own timeout; if the end of all reads is lost,
   * the caller must not hang.
   */
  private void waitForAnything() throws InterruptedException {
    if (standstill.isOver()) {
      fail(
          new IOException(
              "Cannot read "
                  + range()
                  + ": nothing has come or failed for "
                  + standstill.limitMinutes()
                  + " min"));
    } else {
      long start = System.nanoTime();
      wait(Standstill.STEP_MILLIS);
      standstill.waited(System.nanoTime() - start);
    }
  }

  private void hedge(long now) {
    int hedged = 0;
    for (SpanRead read : plan.all()) {
      if (read.isPending() && !read.late && lateness.isLate(read, now)) {
        markLate(read);
        hedged++;
      }
    }
    advance();
    if (!hedgingEnded) {
      counters.add(ReadCount.HEDGES, hedged);
    }
  }

  private void markLate(SpanRead read) {
    read.late = true;
    plan.doWithout(read);
  }

  /**
   * Called when a queued read will not run because the read before it blocks its lane; other units
   * are requested at once.
   */
  void onLaneBlocked(SpanRead read) {
    guarded(
        () -> {
          synchronized (this) {
            if (read.state == SpanRead.State.ABANDONED) {
              giveBack(read);
              return;
            }
            read.state = SpanRead.State.FAILED;
            giveBack(read);
            read.fault =
                new IOException(
                    "internal block "
                        + read.unit
                        + ": an earlier read of it got no answer in time");
            plan.doWithout(read);
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
  private void guarded(Runnable step) {
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
      giveBack(read);
      return false;
    }
    read.state = SpanRead.State.RUNNING;
    read.startedNanos = System.nanoTime();
    return true;
  }

  /** Called by a lane when the span is in the buffer. */
  void done(SpanRead read) {
    guarded(() -> doneUnguarded(read));
  }

  private void doneUnguarded(SpanRead read) {
    synchronized (this) {
      if (read.state == SpanRead.State.ABANDONED) {
        giveBack(read);
        if (read.late) {
          markHealthy(read);
        }
        return;
      }
      read.state = SpanRead.State.DONE;
      read.nanos = System.nanoTime() - read.startedNanos;
      counters.add(ReadCount.BYTES_FETCHED, read.span.length());
      if (!read.late) {
        recordLatency(read);
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
      if (read.state == SpanRead.State.ABANDONED) {
        giveBack(read);
        return;
      }
      read.state = SpanRead.State.FAILED;
      read.fault = fault;
      giveBack(read);
      if (isForMemory(fault)) {
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
    giveBack(read);
  }

  private void giveBack(SpanRead read) {
    if (read.buffer != null) {
      reader.giveBuffer(read.buffer);
      read.buffer = null;
    }
  }

  private void recordLatency(SpanRead read) {
    context.latency().sample(read.span.length(), read.nanos);
    markHealthy(read);
    context.nodeLatencies().sample(read.node, read.nanos);
  }

  /** Records that a DataNode has answered; it may differ from the one that was chosen first. */
  private void markHealthy(SpanRead read) {
    if (read.replica != null && read.replica.node().equals(read.node)) {
      read.replica.markHealthy(context.health());
    } else {
      context.health().markHealthy(read.node);
    }
  }

  /** Completes the segment, or requests the sources that decoding still lacks. */
  private void advance() {
    standstill.changed();
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
    for (SpanRead read : plan.all()) {
      if (read.isPending()) {
        giveUp(read);
      }
    }
    notifyAll();
  }

  private void giveUp(SpanRead read) {
    boolean late = read.late;
    boolean isRunning = read.state == SpanRead.State.RUNNING;
    read.placeNoMore();
    read.state = SpanRead.State.ABANDONED;
    if (late && plan.isOwn(read)) {
      counters.add(ReadCount.HEDGES_WON, 1);
    }
    // A read that waits for a thread is late because of other reads.
    if (late && isRunning) {
      reader.markSuspect(read);
    }
    reader.cancel(read);
  }

  private void decodeIfReady() {
    DecodeInputs inputs;
    int[] erased;
    Span span;
    synchronized (this) {
      if (isComplete || isReleased || isDecoding || failure != null || !plan.isAnyMissing()) {
        return;
      }
      inputs = DecodeInputs.gather(this, reader, plan);
      if (inputs == null) {
        return;
      }
      isDecoding = true;
      span = plan.decodeSpan();
      erased = plan.missingUnits();
    }
    ByteBuffer[] outputs = new ByteBuffer[erased.length];
    IOException trouble = null;
    long start = System.nanoTime();
    try {
      for (int i = 0; i < outputs.length; i++) {
        outputs[i] = takeBuffer(span.length());
        outputs[i].limit(span.length());
      }
      reader.group().decode(inputs.units(), erased, outputs);
    } catch (IOException e) {
      trouble = e;
    } catch (RuntimeException | Error e) {
      trouble = new IOException("Cannot decode " + range(), e);
    }
    synchronized (this) {
      isDecoding = false;
      decodeMillis = (System.nanoTime() - start) / 1_000_000;
      inputs.release();
      for (int i = 0; i < erased.length; i++) {
        decoded[erased[i]] = outputs[i];
      }
      if (isReleased) {
        giveBackAll();
      } else if (trouble != null) {
        fail(trouble);
      } else {
        counters.add(ReadCount.DEGRADED_SEGMENTS, 1);
        counters.add(ReadCount.BYTES_DECODED, (long) erased.length * span.length());
        complete();
      }
    }
  }

  /** Fails the segment and wakes the waiting caller, if there is one. */
  synchronized void abort(String message) {
    if (!isComplete && failure == null) {
      failure = new IOException(message);
      notifyAll();
    }
  }

  private void giveBackDecoded() {
    for (int unit = 0; unit < decoded.length; unit++) {
      if (decoded[unit] != null) {
        reader.giveBuffer(decoded[unit]);
        decoded[unit] = null;
      }
    }
  }

  /** Returns whether the fault is, or was caused by, an OutOfMemoryError. */
  static boolean isForMemory(Throwable fault) {
    return fault instanceof OutOfMemoryError || fault.getCause() instanceof OutOfMemoryError;
  }

  private void fail(IOException cause) {
    failure = cause;
    counters.add(ReadCount.FAILURES, 1);
    notifyAll();
  }

  /**
   * Returns the bytes at an offset of the group, up to the end of their cell or of this range, as a
   * buffer from position to limit. Valid only after {@link #await} and until {@link #close}.
   */
  public synchronized ByteBuffer bytesAt(long offset) {
    int unit = geometry.unitOf(offset);
    long inUnit = geometry.offsetInUnit(offset);
    long length = Math.min(to, geometry.cellEnd(offset)) - offset;
    ByteBuffer whole;
    long base;
    if (plan.isMissing(unit)) {
      whole = decoded[unit];
      base = plan.decodeSpan().lo;
    } else {
      whole = plan.own(unit).buffer;
      base = plan.own(unit).span.lo;
    }
    ByteBuffer part = whole.duplicate();
    part.limit((int) (inUnit - base + length)).position((int) (inUnit - base));
    return part;
  }

  /**
   * Copies the bytes that are not yet in the caller's buffer to it. Valid only after {@link
   * #await}.
   */
  synchronized void place() {
    for (long at = from; at < to; at = Math.min(to, geometry.cellEnd(at))) {
      int unit = geometry.unitOf(at);
      if (plan.isMissing(unit) || !plan.own(unit).isPlaced()) {
        placement.put(at, bytesAt(at));
      }
    }
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

  /** Receives the cost of a segment. */
  public interface Tally {
    /**
     * Records that {@code bytes} were read from a DataNode at {@code networkDistance} in {@code
     * millis}.
     */
    void fetched(int bytes, boolean shortCircuit, int networkDistance, long millis);

    /** Records that decoding took {@code millis}. */
    void decoded(long millis);
  }

  /** Gives up pending reads and releases the buffers. */
  @Override
  public synchronized void close() {
    if (isReleased) {
      return;
    }
    isReleased = true;
    for (SpanRead read : plan.all()) {
      if (read.isPending()) {
        giveUp(read);
      }
    }
    if (!isDecoding) {
      giveBackAll();
    }
  }

  /** Releases this segment's buffers; lanes release those of abandoned reads. */
  private void giveBackAll() {
    unreserve();
    for (SpanRead read : plan.all()) {
      if (read.state != SpanRead.State.ABANDONED) {
        giveBack(read);
      }
    }
    giveBackDecoded();
  }

  String range() {
    return "bytes " + from + " to " + (to - 1) + " of " + reader.group().name();
  }
}
