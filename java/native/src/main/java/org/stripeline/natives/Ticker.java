// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.util.concurrent.TimeUnit;

/**
 * The clock of timeouts. Classes that measure time get one when they are created, so that tests can
 * run them in virtual time. {@code scripts/check.sh} refuses other reads of the system's clock.
 */
@FunctionalInterface
public interface Ticker {
  /** The system's monotonic clock. */
  Ticker SYSTEM = System::nanoTime;

  /**
   * Returns the nanoseconds since an arbitrary origin, as {@link System#nanoTime} does: any value
   * is possible, and only the difference of two values has a meaning.
   */
  long nanos();

  /**
   * Waits until {@code monitor}, which the caller holds, is notified or {@code timeoutNanos} are
   * over; may return earlier, as {@link Object#wait(long)} does. Returns at once if the timeout is
   * not positive.
   */
  default void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(monitor, timeoutNanos);
  }

  /** Waits for the whole of a time by {@link #timedWait}, unless the thread is interrupted. */
  default void sleep(long durationNanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Object monitor = new Object();
    long start = nanos();
    synchronized (monitor) {
      for (long left = durationNanos; left > 0; left = durationNanos - (nanos() - start)) {
        timedWait(monitor, left);
      }
    }
  }
}
