// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Reads spans of one internal block, one after the other, on a thread that it has only while there
 * is something to read. The reader stays open between spans and is used again when the next one
 * lies ahead of it. Locks are taken in the order segment, lane.
 */
final class Lane implements Runnable {
  /** A gap up to this is read over rather than left by opening anew: what a packet or two hold. */
  private static final long SKIP_MAX_BYTES = 128 << 10;

  /** Holds what a DataNode sends in a packet, also where its buffers were configured larger. */
  private static final int PASSING_BYTES = 128 << 10;

  private final BlockGroup group;
  private final int unit;
  private final Executor threads;
  private final ReadBuffers buffers;

  private final Deque<SpanRead> queue = new ArrayDeque<>();
  private SpanRead current;
  private Thread runner;
  private volatile long currentSinceNanos = System.nanoTime();
  private boolean scheduled;
  private boolean retired;

  /** Changed by the running thread only, or under the lock while there is none. */
  private volatile UnitReader reader;

  private long readerOffset;

  Lane(BlockGroup group, int unit, ReadContext context) {
    this.group = group;
    this.unit = unit;
    this.threads = context.threads();
    this.buffers = context.buffers();
  }

  void submit(SpanRead read) {
    synchronized (this) {
      read.lane = this;
      queue.add(read);
      if (scheduled) {
        return;
      }
      scheduled = true;
      currentSinceNanos = System.nanoTime();
    }
    threads.execute(this);
  }

  @Override
  public void run() {
    SpanRead read;
    while ((read = next()) != null) {
      if (read.segment.begin(read)) {
        run(read);
      } else {
        finish();
      }
    }
  }

  private void run(SpanRead read) {
    IOException fault = null;
    try {
      fetch(read);
      read.shortCircuit = reader.isShortCircuit();
      read.distance = reader.networkDistance();
    } catch (IOException e) {
      fault = e;
      closeReader();
    } catch (RuntimeException | Error e) {
      fault = new IOException("Cannot read internal block " + unit + " of " + group.name(), e);
      closeReader();
    }
    finish();
    if (fault == null) {
      read.segment.done(read);
    } else {
      read.segment.failed(read, fault);
    }
  }

  private synchronized SpanRead next() {
    current = queue.poll();
    if (current == null) {
      scheduled = false;
      if (retired) {
        closeReader();
      }
      return null;
    }
    currentSinceNanos = System.nanoTime();
    runner = Thread.currentThread();
    return current;
  }

  /** Returns since when it has been at what it does now. */
  long currentSinceNanos() {
    return currentSinceNanos;
  }

  /** After this no interrupt of {@link #cancel} can hit the thread. */
  private synchronized void finish() {
    current = null;
    runner = null;
    Thread.interrupted();
  }

  private void fetch(SpanRead read) throws IOException {
    boolean fresh = place(read);
    try {
      fill(read);
    } catch (IOException e) {
      if (fresh || e instanceof CorruptUnitException || read.cancelled) {
        throw e;
      }
      // A reader kept from earlier may have been cut off for idling, which says nothing of the block.
      closeReader();
      place(read);
      fill(read);
    }
  }

  private void fill(SpanRead read) throws IOException {
    try {
      if (read.isPlaced()) {
        fillPlace(read);
      } else {
        ByteBuffer target = read.buffer.duplicate();
        target.position(0).limit(read.span.length());
        while (target.hasRemaining()) {
          reader.read(target);
        }
      }
    } catch (CorruptUnitException e) {
      group.corrupt(unit, reader.node());
      throw e;
    }
    readerOffset = read.span.hi;
  }

  /** Passes the bytes through a buffer that stays in the processor's cache. */
  private void fillPlace(SpanRead read) throws IOException {
    ByteBuffer buffer = buffers.take(PASSING_BYTES, group.prefersDirectBuffers());
    try {
      for (long at = read.span.lo; at < read.span.hi; ) {
        buffer.clear().limit((int) Math.min(buffer.capacity(), read.span.hi - at));
        reader.read(buffer);
        buffer.flip();
        int length = buffer.remaining();
        read.place(at, buffer);
        at += length;
      }
    } finally {
      buffers.give(buffer);
    }
  }

  /** Brings the reader to where the span begins; returns whether it had to be opened for it. */
  private boolean place(SpanRead read) throws IOException {
    long gap = read.span.lo - readerOffset;
    if (reader != null && gap >= 0 && gap <= SKIP_MAX_BYTES && read.span.hi <= reader.end()) {
      if (gap > 0) {
        reader.skip(gap);
      }
      readerOffset = read.span.lo;
      return false;
    }
    closeReader();
    reader = group.open(unit, read.span.lo, Math.max(read.openTo, read.span.hi));
    readerOffset = read.span.lo;
    return true;
  }

  /**
   * Stops a read that nobody waits for: one in the queue is forgotten, one under way interrupted.
   * Short-circuit reads are let go on, since an interrupt would close the file for all streams; and
   * late ones, since their end tells whether the DataNode hangs or was slow for once.
   *
   * @return whether it was under way, so that this lane may be held up
   */
  synchronized boolean cancel(SpanRead read) {
    if (queue.remove(read)) {
      read.segment.release(read);
      return false;
    }
    if (current != read) {
      return false;
    }
    if (runner != null && !read.late && (reader == null || !reader.isShortCircuit())) {
      read.cancelled = true;
      runner.interrupt();
    }
    return true;
  }

  /** Takes no more reads: hands over what waits, and closes its reader when the last is done. */
  synchronized List<SpanRead> retire() {
    List<SpanRead> waiting = new ArrayList<>(queue);
    queue.clear();
    retired = true;
    if (!scheduled) {
      closeReader();
    }
    return waiting;
  }

  private void closeReader() {
    if (reader == null) {
      return;
    }
    try {
      reader.close();
    } catch (IOException | RuntimeException ignored) {
      // What was read from it has been checked; there is nothing left to lose.
    }
    reader = null;
  }
}
