// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

/** Bounds the bytes a second of one task, and with those of others the bytes of the agent. */
final class RateLimiter {
  /** Callers that move more call again after this many bytes, so that low rates are not bursty. */
  static final int STEP = 64 << 10;

  /** Hadoop's throttler counts by half seconds and stands still below 2 bytes a second. */
  private static final long LEAST = 1024;

  private final DataTransferThrottler own;
  private final DataTransferThrottler shared;
  private final Supplier<String> objection;
  private final Canceler canceler = new Canceler();

  /** Streams that wait here, as they should. */
  private final AtomicInteger waiting = new AtomicInteger();

  private volatile long movedNanos = System.nanoTime();

  /**
   * Sets the bounds.
   *
   * @param bytesPerSecond 0 for no bound of its own
   * @param shared null for no bound with others
   * @param objection asked now and then why the task should not go on; null if it should
   */
  RateLimiter(long bytesPerSecond, DataTransferThrottler shared, Supplier<String> objection) {
    this.own = throttler(bytesPerSecond);
    this.shared = shared;
    this.objection = objection;
  }

  /** Returns a throttler of that rate, or null for 0. */
  static DataTransferThrottler throttler(long bytesPerSecond) {
    return bytesPerSecond == 0 ? null : new DataTransferThrottler(Math.max(LEAST, bytesPerSecond));
  }

  /**
   * Counts bytes that were moved, and waits until more may be.
   *
   * @throws IOException if the task should not go on
   */
  void moved(long bytes) throws IOException {
    waiting.incrementAndGet();
    try {
      throttle(own, bytes);
      throttle(shared, bytes);
    } finally {
      movedNanos = System.nanoTime();
      waiting.decrementAndGet();
    }
    String reason = objection.get();
    if (reason != null) {
      throw new IOException("Cannot go on: " + reason);
    }
    if (canceler.isCancelled() || Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("Cannot go on: the task ends");
    }
  }

  /** The task begins to move bytes now. */
  void begin() {
    movedNanos = System.nanoTime();
  }

  /** Returns for how long no stream of the task has moved anything, though it might have. */
  long idleNanos() {
    return waiting.get() > 0 ? 0 : System.nanoTime() - movedNanos;
  }

  private void throttle(DataTransferThrottler throttler, long bytes) {
    if (throttler != null) {
      throttler.throttle(bytes, canceler);
    }
  }

  /** Makes every call return with an exception, now and later. */
  void end() {
    canceler.cancel("the task ends");
  }
}
