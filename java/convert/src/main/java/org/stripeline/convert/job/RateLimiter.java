// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Limits the total rate of all copies. */
public final class RateLimiter {
  private final long bytesPerSecond;
  private long freeAt = System.nanoTime();

  /** Creates a limiter for a number of bytes per second, or 0 for no limit. */
  public RateLimiter(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Waits until the rate allows {@code bytes} to have been moved. */
  public void take(int bytes) throws InterruptedIOException {
    if (bytesPerSecond == 0) {
      return;
    }
    long waitNanos;
    synchronized (this) {
      long now = System.nanoTime();
      long begin = freeAt - now > 0 ? freeAt : now;
      freeAt = begin + (long) (bytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
      waitNanos = freeAt - now;
    }
    Polling.pause(TimeUnit.NANOSECONDS.toMillis(waitNanos));
  }
}
