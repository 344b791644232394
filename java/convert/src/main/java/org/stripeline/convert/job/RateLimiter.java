// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.stripeline.natives.Ticker;

/** Limits the total rate of all copies. */
public final class RateLimiter {
  private final long bytesPerSecond;
  private final Ticker ticker;
  private long freeAt;

  /** Creates a limiter for a number of bytes per second, or 0 for no limit. */
  public RateLimiter(long bytesPerSecond, Ticker ticker) {
    this.bytesPerSecond = bytesPerSecond;
    this.ticker = ticker;
    freeAt = ticker.nanos();
  }

  /** Waits until the rate allows {@code bytes} to have been moved. */
  public void take(int bytes) throws InterruptedIOException {
    if (bytesPerSecond == 0) {
      return;
    }
    long waitNanos;
    synchronized (this) {
      long now = ticker.nanos();
      long begin = freeAt - now > 0 ? freeAt : now;
      freeAt = begin + (long) (bytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
      waitNanos = freeAt - now;
    }
    Polling.pause(ticker, TimeUnit.NANOSECONDS.toMillis(waitNanos));
  }
}
