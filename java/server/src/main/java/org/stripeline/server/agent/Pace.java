// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

/** Bounds the bytes a second of one task, and with those of others the bytes of the agent. */
final class Pace {
  /** Bytes after which whoever moves many should ask again, lest a low rate comes in bursts. */
  static final int STEP = 64 << 10;

  /** Hadoop's throttler counts by half seconds and stands still below 2 bytes a second. */
  private static final long LEAST = 1024;

  private final DataTransferThrottler own;
  private final DataTransferThrottler shared;
  private final Supplier<String> objection;
  private final Canceler canceler = new Canceler();

  /**
   * Sets the bounds.
   *
   * @param bytesPerSecond 0 for no bound of its own
   * @param shared null for no bound with others
   * @param objection asked now and then why the task should not go on; null if it should
   */
  Pace(long bytesPerSecond, DataTransferThrottler shared, Supplier<String> objection) {
    this.own = throttler(bytesPerSecond);
    this.shared = shared;
    this.objection = objection;
  }

  /** Returns a throttler of that rate, or null for 0. */
  static DataTransferThrottler throttler(long bytesPerSecond) {
    return bytesPerSecond == 0
        ? null
        : new DataTransferThrottler(Math.max(LEAST, bytesPerSecond));
  }

  /**
   * Counts bytes that were moved, and waits until more may be.
   *
   * @throws IOException if the task should not go on
   */
  void moved(long bytes) throws IOException {
    throttle(own, bytes);
    throttle(shared, bytes);
    String reason = objection.get();
    if (reason != null) {
      throw new IOException("Cannot go on: " + reason);
    }
    if (canceler.isCancelled() || Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("Cannot go on: the task ends");
    }
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
