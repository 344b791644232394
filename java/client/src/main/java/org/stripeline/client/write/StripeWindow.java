// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.io.InterruptedIOException;

/** Bounds the stripes of a stream that are collected, encoded or not yet acknowledged. */
public final class StripeWindow {
  private final StripeLayout layout;
  private final CellPool pool;
  private final WriteStatistics statistics;
  private final int stripesMax;
  private int stripes;
  private volatile IOException failure;

  /** Whether there was a stripe; for the collecting thread. */
  private boolean hasBegun;

  StripeWindow(StripeLayout layout, CellPool pool, int stripesMax, WriteStatistics statistics) {
    this.layout = layout;
    this.pool = pool;
    this.stripesMax = stripesMax;
    this.statistics = statistics;
  }

  /**
   * Returns an empty stripe, waiting until there may be one more.
   *
   * @throws InterruptedIOException if the thread is interrupted while it waits; nothing has changed
   * @throws IOException the failure of the stream, if it fails before
   */
  Stripe acquire(boolean opensGroup) throws IOException {
    long reserved = hasBegun ? layout.bytes() : layout.cellSize();
    boolean isReserved;
    synchronized (this) {
      isReserved = stripes > 0 && (mayHaveMore() || waitForRoom());
      throwFailure();
      stripes++;
      statistics.acquired(stripes);
    }
    if (!isReserved) {
      boolean done = false;
      try {
        reserve(0, reserved, layout.bytes());
        done = true;
      } finally {
        if (!done) {
          returned();
        }
      }
    }
    hasBegun = true;
    return new Stripe(layout, this, pool, opensGroup, reserved);
  }

  /** Reserves the memory of one more stripe if there may be one. */
  private boolean mayHaveMore() {
    return failure == null && stripes < stripesMax && pool.tryReserveMore(layout.bytes());
  }

  /**
   * Waits until there may be one more stripe, or the stream has failed.
   *
   * @return whether its memory is reserved; that of a stream's only stripe is not
   */
  private boolean waitForRoom() throws IOException {
    long start = System.nanoTime();
    try {
      while (failure == null && stripes > 0) {
        wait();
        if (stripes > 0 && mayHaveMore()) {
          return true;
        }
      }
      return false;
    } catch (InterruptedException e) {
      // As Hadoop's own streams do: the exception is the message, the flag stays cleared.
      InterruptedIOException told =
          new InterruptedIOException(
              "Interrupted while waiting for DataNodes to acknowledge one of "
                  + stripes
                  + " stripes");
      told.initCause(e);
      throw told;
    } finally {
      statistics.stalled(System.nanoTime() - start);
    }
  }

  /**
   * Reserves more memory for the only stripe of the stream, waiting for that of other streams.
   *
   * @param held bytes that it has reserved
   * @param bytes what is reserved beyond
   * @throws InterruptedIOException if the thread is interrupted while it waits; nothing has changed
   */
  void grow(long held, long bytes) throws IOException {
    reserve(held, bytes, bytes);
  }

  private void reserve(long held, long bytes, long room) throws IOException {
    if (pool.tryReserve(held, bytes, room)) {
      return;
    }
    long start = System.nanoTime();
    try {
      if (!pool.reserve(held, bytes, room, () -> failure != null)) {
        throwFailure();
      }
    } finally {
      statistics.stalled(System.nanoTime() - start);
    }
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Throws what the stream has failed with, if it has. */
  void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  synchronized void returned() {
    stripes--;
    notifyAll();
  }

  /** Makes all acquiring, present and future, fail. */
  synchronized void fail(IOException cause) {
    if (failure == null) {
      failure = cause;
    }
    notifyAll();
    pool.wake();
  }

  /** Returns the number of stripes that are on their way. */
  synchronized int occupied() {
    return stripes;
  }
}
