// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.concurrent.TimeUnit;

/**
 * How long a caller has waited without anything that came or failed. Every read ends by a time-out
 * of its own; if one goes missing all the same, the caller must not wait for ever. The time in
 * which the JVM itself was stopped does not count.
 */
final class Standstill {
  /** For how long to wait at once, at most. */
  static final long STEP_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /** A read connects and reads several times, each time until its time-out. */
  private static final int TIMEOUTS = 15;

  private final long limitNanos;
  private long nanos;

  Standstill(long socketTimeoutMillis) {
    limitNanos =
        TimeUnit.MILLISECONDS.toNanos(TIMEOUTS * Math.max(STEP_MILLIS, socketTimeoutMillis));
  }

  /** Takes note that something came or failed. */
  void changed() {
    nanos = 0;
  }

  /** Takes note of a wait; what ends it must be noted first. */
  void waited(long elapsedNanos) {
    nanos += Math.min(TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS), elapsedNanos);
  }

  boolean isOver() {
    return nanos >= limitNanos;
  }

  long limitMinutes() {
    return TimeUnit.NANOSECONDS.toMinutes(limitNanos);
  }
}
