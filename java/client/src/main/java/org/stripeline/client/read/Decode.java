// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.stripeline.client.IssuedEnd;
import org.stripeline.natives.Ticker;

/**
 * A decode of a segment's missing units from k others, over one span, with zeros after the end of a
 * unit. Created and finished with the segment's lock held; runs without it.
 */
final class Decode {
  private final Segment segment;
  private final GroupReader reader;
  private final SpanPlan plan;
  private final Span span;
  private final int[] erased;
  private final ByteBuffer[] units;
  private final ByteBuffer[] outputs;
  private final List<ByteBuffer> scratch = new ArrayList<>();
  private final Ticker ticker;
  private final AtomicBoolean hasGoneOn = new AtomicBoolean();

  // Created before the decode, so that its end needs no memory.
  private final Runnable ended;
  private final Runnable direct;
  private final IssuedEnd end;

  private Throwable failure;
  private long start;
  private long nanos;

  private Decode(Segment segment, GroupReader reader, SpanPlan plan) {
    this.segment = segment;
    this.reader = reader;
    this.ticker = reader.context().ticker();
    this.plan = plan;
    this.span = plan.decodeSpan();
    this.erased = plan.missingUnits();
    this.units = new ByteBuffer[reader.geometry().units()];
    this.outputs = new ByteBuffer[erased.length];
    Runnable finish = () -> segment.decoded(this);
    ended = once(() -> segment.guarded(finish));
    direct =
        once(
            () -> {
              decode();
              segment.guarded(finish);
            });
    end = new IssuedEnd(this::goOn);
  }

  /** Collects the inputs; returns null if fewer than k units are available. */
  static Decode gather(Segment segment, GroupReader reader, SpanPlan plan) {
    if (!plan.areOwnDone()) {
      return null;
    }
    Decode decode = new Decode(segment, reader, plan);
    boolean done = false;
    try {
      done = decode.areThere();
    } finally {
      if (!done) {
        decode.release();
      }
    }
    return done ? decode : null;
  }

  /** Decodes; when nothing uses the buffers any more, any thread tells the segment, once. */
  void run() {
    CompletableFuture<?> issued = null;
    start = ticker.nanos();
    try {
      for (int i = 0; i < outputs.length; i++) {
        outputs[i] = segment.takeBuffer(span.length());
        outputs[i].limit(span.length());
      }
      issued = issue();
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    if (issued != null) {
      end.follow(issued);
    } else if (failure != null) {
      ended.run();
    } else {
      direct.run();
    }
  }

  private CompletableFuture<?> issue() {
    try {
      return reader.group().issueDecode(units, erased, outputs);
    } catch (RuntimeException | Error e) {
      // A failure that is not the engine's comes again, and reaches the reader then.
      return null;
    }
  }

  /** Goes on after a device, on another thread than the one that ends all its work. */
  private void goOn(Throwable why) {
    Runnable next = why == null ? ended : direct;
    try {
      reader.context().threads().executeAside(next);
    } catch (RuntimeException | Error e) {
      next.run();
    }
  }

  /**
   * Returns the step as one that runs only once. An executor that throws for lack of memory may
   * have queued the step nevertheless; {@link #goOn} then runs it on its own thread, and a thread
   * of the executor must not run it again.
   */
  private Runnable once(Runnable step) {
    return () -> {
      if (hasGoneOn.compareAndSet(false, true)) {
        step.run();
      }
    };
  }

  private void decode() {
    try {
      reader.group().decode(units, erased, outputs);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Hands the decoded units over and releases the inputs; the spans keep their own buffers. */
  void finish(SegmentBytes bytes) {
    nanos = ticker.nanos() - start;
    for (int i = 0; i < erased.length; i++) {
      bytes.decoded(erased[i], outputs[i]);
    }
    release();
  }

  /** Returns why it failed, null if it succeeded. */
  IOException failure() {
    return failure == null || failure instanceof IOException
        ? (IOException) failure
        : new IOException("Cannot decode " + segment.range(), failure);
  }

  long millis() {
    return nanos / 1_000_000;
  }

  /** Returns the number of bytes that were decoded. */
  long bytes() {
    return (long) erased.length * span.length();
  }

  private void release() {
    scratch.forEach(reader::giveBuffer);
  }

  private boolean areThere() {
    int wanted = reader.geometry().dataUnits();
    int count = 0;
    for (int unit = 0; unit < units.length && count < wanted; unit++) {
      if (!plan.isSource(unit)) {
        continue;
      }
      units[unit] = plan.isZero(unit) ? zeros() : source(unit);
      if (units[unit] != null) {
        count++;
      }
    }
    return count == wanted;
  }

  private ByteBuffer source(int unit) {
    if (!plan.lacking(unit, true).isEmpty()) {
      return null;
    }
    Span present = plan.present(unit);
    ByteBuffer joined = null;
    for (SpanRead read : plan.reads(unit)) {
      if (read.state != SpanRead.State.DONE) {
        continue;
      }
      Span part = read.span.intersection(present);
      // The buffers of another segment may go back to their pool while this decode runs.
      if (read.segment == segment && part.covers(plan.decodeSpan())) {
        return bytes(read, part).slice();
      }
      if (!part.isEmpty()) {
        joined = joined == null ? zeros() : joined;
        ByteBuffer into = joined.duplicate();
        into.position((int) (part.lo - present.lo));
        into.put(bytes(read, part));
      }
    }
    return joined;
  }

  private ByteBuffer bytes(SpanRead read, Span part) {
    if (read.buffer == null) {
      read.buffer = segment.takeBuffer(read.span.length());
      read.collect();
    }
    ByteBuffer bytes = read.buffer.duplicate();
    bytes.limit((int) (part.hi - read.span.lo)).position((int) (part.lo - read.span.lo));
    return bytes;
  }

  private ByteBuffer zeros() {
    int length = plan.decodeSpan().length();
    ByteBuffer buffer = segment.takeBuffer(length);
    buffer.limit(length);
    scratch.add(buffer);
    for (ByteBuffer fill = buffer.duplicate(); fill.hasRemaining(); ) {
      if (fill.remaining() >= Long.BYTES) {
        fill.putLong(0);
      } else {
        fill.put((byte) 0);
      }
    }
    return buffer;
  }
}
