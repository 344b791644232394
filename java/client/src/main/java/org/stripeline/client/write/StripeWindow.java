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
  private IOException failure;

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
    synchronized (this) {
      if (isFull()) {
        waitForRoom();
      }
      throwFailure();
      stripes++;
      statistics.acquired(stripes);
    }
    return new Stripe(layout, this, pool, opensGroup);
  }

  /** One stripe is always granted, so that a stream waits for nobody but its own DataNodes. */
  private boolean isFull() {
    return stripes >= stripesMax || stripes > 0 && pool.isTight();
  }

  private void waitForRoom() throws IOException {
    long start = System.nanoTime();
    try {
      while (isFull() && failure == null) {
        wait();
      }
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

  private void throwFailure() throws IOException {
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
  }

  /** Returns the number of stripes that are on their way. */
  synchronized int occupied() {
    return stripes;
  }
}
