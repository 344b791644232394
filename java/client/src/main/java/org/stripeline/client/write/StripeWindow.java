// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.io.InterruptedIOException;
import org.stripeline.natives.Ticker;

/** Limits the stripes of a stream that are collected, encoded or not yet acknowledged. */
public final class StripeWindow {
  private final StripeLayout layout;
  private final CellPool pool;
  private final Ticker ticker;
  private final WriteStatistics statistics;
  private final int stripesMax;
  private int stripes;
  private volatile IOException failure;

  /** Whether a stripe was acquired before; for the collecting thread. */
  private boolean hasBegun;

  StripeWindow(StripeLayout layout, CellPool pool, int stripesMax, WriteStatistics statistics) {
    this.layout = layout;
    this.pool = pool;
    this.ticker = pool.ticker();
    this.stripesMax = stripesMax;
    this.statistics = statistics;
  }

  /**
   * Returns an empty stripe, waiting until one more is permitted.
   *
   * @throws InterruptedIOException if the thread is interrupted while it waits; nothing has changed
   * @throws IOException the failure of the stream, if it has failed or fails during the wait
   */
  Stripe acquire(boolean opensGroup) throws IOException {
    long reserved = hasBegun ? layout.bytes() : layout.cellSize();
    boolean isReserved;
    synchronized (this) {
      isReserved = stripes > 0 && (mayHaveMore() || waitForRoom());
      throwFailure();
      stripes++;
    }
    boolean done = false;
    try {
      statistics.acquired(occupied());
      if (!isReserved) {
        reserve(0, reserved, layout.bytes());
        isReserved = true;
      }
      Stripe stripe = new Stripe(layout, this, pool, opensGroup, reserved);
      hasBegun = true;
      done = true;
      return stripe;
    } finally {
      if (!done) {
        if (isReserved) {
          pool.unreserve(reserved);
        }
        returned();
      }
    }
  }

  /** Reserves the memory of one more stripe if the window and the pool permit one. */
  private boolean mayHaveMore() {
    return failure == null && stripes < stripesMax && pool.tryReserveMore(layout.bytes());
  }

  /**
   * Waits until one more stripe is permitted or the stream has failed.
   *
   * @return whether its memory is reserved; the memory of a stream's only stripe is not
   */
  private boolean waitForRoom() throws IOException {
    long start = ticker.nanos();
    try {
      while (failure == null && stripes > 0) {
        wait();
        if (stripes > 0 && mayHaveMore()) {
          return true;
        }
      }
      return false;
    } catch (InterruptedException e) {
      // As in Hadoop's own streams, the exception reports the interrupt and the flag stays cleared.
      InterruptedIOException told =
          new InterruptedIOException(
              "Interrupted while waiting for DataNodes to acknowledge one of "
                  + stripes
                  + " stripes");
      told.initCause(e);
      throw told;
    } finally {
      statistics.stalled(ticker.nanos() - start);
    }
  }

  /**
   * Reserves more memory for the only stripe of the stream, waiting for other streams to return
   * memory.
   *
   * @param held bytes that the stripe has reserved
   * @param bytes the bytes to reserve in addition
   * @throws InterruptedIOException if the thread is interrupted while it waits; nothing has changed
   */
  void grow(long held, long bytes) throws IOException {
    reserve(held, bytes, bytes);
  }

  private void reserve(long held, long bytes, long room) throws IOException {
    if (pool.tryReserve(held, bytes, room)) {
      return;
    }
    long start = ticker.nanos();
    try {
      if (!pool.reserve(held, bytes, room, () -> failure != null)) {
        throwFailure();
      }
    } finally {
      statistics.stalled(ticker.nanos() - start);
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Throws the failure of the stream, if it has failed. */
  void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  synchronized void returned() {
    stripes--;
    notifyAll();
  }

  /** Makes all current and later calls of acquire fail. */
  synchronized void fail(IOException cause) {
    if (failure == null) {
      failure = cause;
    }
    notifyAll();
    pool.wake();
  }

  /** Returns the number of stripes that are not yet acknowledged and released. */
  synchronized int occupied() {
    return stripes;
  }
}
