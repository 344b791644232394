// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.stripeline.client.read.shared.FetchThreads;
import org.stripeline.client.read.shared.IdleLanes;
import org.stripeline.client.read.shared.NodeHealth;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.natives.Ticker;

/**
 * Reads spans of one internal block in sequence. A lane occupies a thread only while there is
 * something to read. The reader stays open between spans and is reused if the next span is ahead of
 * it. Lock order: segment, then lane.
 */
final class Lane implements Runnable, IdleLanes.Idle {
  /**
   * Gaps up to this size, one or two packets, are skipped; for larger gaps a new reader is opened.
   */
  private static final long SKIP_MAX_BYTES = 128 << 10;

  /**
   * The size of a DataNode's packet, with room for DataNodes that are configured with larger
   * buffers.
   */
  private static final int PASSING_BYTES = 128 << 10;

  private final BlockGroup group;
  private final int unit;
  private final FetchThreads threads;
  private final NodeHealth health;
  private final ReadBuffers buffers;
  private final IdleLanes idle;
  private final Ticker ticker;

  private final Deque<SpanRead> queue = new ArrayDeque<>();
  private SpanRead current;
  private Thread runner;
  private volatile long currentSinceNanos;
  private boolean scheduled;
  private boolean retired;

  /** Changed only by the running thread, or with the lock held while there is none. */
  private volatile UnitReader reader;

  private long readerOffset;

  Lane(BlockGroup group, int unit, ReadContext context) {
    this.group = group;
    this.unit = unit;
    this.threads = context.threads();
    this.health = context.health();
    this.buffers = context.buffers();
    this.idle = context.idleLanes();
    this.ticker = context.ticker();
    this.currentSinceNanos = ticker.nanos();
  }

  void submit(SpanRead read) {
    synchronized (this) {
      read.lane = this;
      queue.add(read);
      if (scheduled) {
        return;
      }
      scheduled = true;
      currentSinceNanos = ticker.nanos();
      if (reader != null) {
        idle.remove(this);
      }
    }
    try {
      threads.execute(group.node(unit), this);
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        scheduled = false;
        queue.remove(read);
      }
      throw e;
    }
  }

  @Override
  public void run() {
    SpanRead read;
    while ((read = next()) != null) {
      if (read.segment.begin(read)) {
        run(read);
      } else {
        finish(read);
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
    finish(read);
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
      if (reader != null && (retired || readerOffset >= reader.end())) {
        closeReader();
      } else if (reader != null) {
        idle.add(this);
      }
      return null;
    }
    currentSinceNanos = ticker.nanos();
    runner = Thread.currentThread();
    return current;
  }

  /** Returns the time at which the lane began its current read. */
  long currentSinceNanos() {
    return currentSinceNanos;
  }

  /** Ends the current read; after this, {@link #cancel} cannot interrupt the thread for it. */
  private synchronized void finish(SpanRead read) {
    current = null;
    runner = null;
    Thread.interrupted();
    if (read.lingersAt != null) {
      health.over(read.lingersAt, read);
    }
  }

  private void fetch(SpanRead read) throws IOException {
    boolean fresh = place(read);
    try {
      fill(read);
    } catch (IOException e) {
      if (fresh
          || e instanceof CorruptUnitException
          || read.cancelled
          || !read.segment.isWanted(read)) {
        throw e;
      }
      // The DataNode may have closed an idle reader from an earlier read; that does not indicate a
      // fault of the block.
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
        target.clear();
        while (readerOffset < read.span.hi) {
          receive(read, target);
        }
      }
    } catch (CorruptUnitException e) {
      group.corrupt(unit, reader.node());
      throw e;
    }
  }

  /** Receives part of a span; opens another reader if the current one has ended. */
  private void receive(SpanRead read, ByteBuffer target) throws IOException {
    if (readerOffset >= reader.end()) {
      open(read, readerOffset);
    }
    long left = Math.min(read.span.hi, reader.end()) - readerOffset;
    int start = target.position();
    target.limit((int) Math.min(target.capacity(), start + left));
    reader.read(target);
    readerOffset += target.position() - start;
  }

  /** Copies the bytes through a buffer that stays in the processor's cache. */
  private void fillPlace(SpanRead read) throws IOException {
    ByteBuffer buffer = buffers.take(PASSING_BYTES, group.prefersDirectBuffers());
    try {
      while (readerOffset < read.span.hi) {
        long at = readerOffset;
        buffer.clear();
        receive(read, buffer);
        buffer.flip();
        read.place(at, buffer);
      }
    } finally {
      buffers.give(buffer);
    }
  }

  /** Moves the reader to the beginning of the span; returns whether a new reader was opened. */
  private boolean place(SpanRead read) throws IOException {
    long gap = read.span.lo - readerOffset;
    if (reader != null && gap >= 0 && gap <= SKIP_MAX_BYTES && read.span.lo < reader.end()) {
      try {
        if (gap > 0) {
          reader.skip(gap);
        }
        readerOffset = read.span.lo;
        read.node = reader.node();
        return false;
      } catch (IOException e) {
        if (read.cancelled) {
          throw e;
        }
        // A failure to skip bytes does not affect the span itself.
      }
    }
    open(read, read.span.lo);
    return true;
  }

  private void open(SpanRead read, long from) throws IOException {
    closeReader();
    reader = group.open(unit, from, Math.max(read.openTo, read.span.hi));
    readerOffset = from;
    read.node = reader.node();
  }

  /**
   * Stops a read whose bytes are no longer needed: removes it from the queue, or interrupts it if
   * it is running. A late read continues if no other late read of its DataNode continues. A
   * short-circuit read always continues, because an interrupt would close the file for all streams.
   *
   * @return whether it was running, so that this lane may be blocked
   */
  synchronized boolean cancel(SpanRead read) {
    if (queue.remove(read)) {
      read.segment.release(read);
      return false;
    }
    if (current != read) {
      return false;
    }
    UnitReader open = reader;
    if (runner != null
        && !mayLinger(read)
        && (open == null ? group.mayInterruptOpen(unit) : !open.isShortCircuit())) {
      read.cancelled = true;
      runner.interrupt();
    }
    return true;
  }

  private boolean mayLinger(SpanRead read) {
    String node = group.node(unit);
    if (!read.late || node == null || !health.mayLinger(node, read)) {
      return false;
    }
    read.lingersAt = node;
    return true;
  }

  /**
   * Stops accepting reads, returns the queued reads, and closes the reader when the last read is
   * done.
   */
  synchronized List<SpanRead> retire() {
    List<SpanRead> waiting = new ArrayList<>(queue);
    queue.clear();
    retired = true;
    if (!scheduled && reader != null) {
      idle.remove(this);
      closeReader();
    }
    return waiting;
  }

  @Override
  public synchronized boolean putAway() {
    boolean isIdle = !scheduled && reader != null;
    if (isIdle) {
      closeReader();
    }
    return isIdle;
  }

  @Override
  public String node() {
    UnitReader open = reader;
    return open == null || open.isShortCircuit() ? null : open.node();
  }

  private void closeReader() {
    if (reader == null) {
      return;
    }
    try {
      reader.close();
    } catch (IOException | RuntimeException ignored) {
      // The bytes that were read from it have been verified; nothing can be lost.
    }
    reader = null;
  }
}
