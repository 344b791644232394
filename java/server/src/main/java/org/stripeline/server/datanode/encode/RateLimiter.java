// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.stripeline.natives.Ticker;

/** Limits the bytes per second of one task, and those of all tasks together. */
final class RateLimiter {
  /** Callers report at most this many bytes at a time, so that low rates are not bursty. */
  static final int STEP = 64 << 10;

  /** Hadoop's throttler uses periods of half a second, and stalls below 2 bytes per second. */
  private static final long LEAST = 1024;

  private final DataTransferThrottler own;
  private final DataTransferThrottler shared;
  private final Supplier<String> objection;
  private final Ticker ticker;
  private final Canceler canceler = new Canceler();

  /** Number of streams that wait for the limits, which does not count as a stall. */
  private final AtomicInteger waiting = new AtomicInteger();

  private volatile long movedNanos;

  /**
   * Sets the limits.
   *
   * @param bytesPerSecond limit of this task; 0 for none
   * @param shared limit of all tasks; null for none
   * @param objection returns a reason to stop the task, or null; called regularly
   * @param ticker the clock of idle times; throttling takes real time
   */
  RateLimiter(
      long bytesPerSecond,
      DataTransferThrottler shared,
      Supplier<String> objection,
      Ticker ticker) {
    this.own = throttler(bytesPerSecond);
    this.shared = shared;
    this.objection = objection;
    this.ticker = ticker;
    this.movedNanos = ticker.nanos();
  }

  /** Returns a throttler with a rate, or null for 0. */
  static DataTransferThrottler throttler(long bytesPerSecond) {
    return bytesPerSecond == 0 ? null : new DataTransferThrottler(Math.max(LEAST, bytesPerSecond));
  }

  /**
   * Counts bytes that were moved, and waits until the limits allow more.
   *
   * @throws IOException if the task should stop
   */
  void moved(long bytes) throws IOException {
    waiting.incrementAndGet();
    try {
      throttle(own, bytes);
      throttle(shared, bytes);
    } finally {
      movedNanos = ticker.nanos();
      waiting.decrementAndGet();
    }
    String reason = objection.get();
    if (reason != null) {
      throw new IOException("Cannot continue: " + reason);
    }
    if (canceler.isCancelled() || Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("Cannot continue: the task has ended");
    }
  }

  /** Restarts the measurement of idle time when the task begins. */
  void begin() {
    movedNanos = ticker.nanos();
  }

  /** Returns the time for which no stream has moved bytes, without being throttled. */
  long idleNanos() {
    return waiting.get() > 0 ? 0 : ticker.nanos() - movedNanos;
  }

  private void throttle(DataTransferThrottler throttler, long bytes) {
    if (throttler != null) {
      throttler.throttle(bytes, canceler);
    }
  }

  /** Makes every current and later call return with an exception. */
  void end() {
    canceler.cancel("the task has ended");
  }
}
