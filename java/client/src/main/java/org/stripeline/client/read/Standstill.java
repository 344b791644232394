// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.concurrent.TimeUnit;

/**
 * Measures how long a caller has waited without any read finishing or failing. Every read ends with
 * its own timeout; if the end of a read is lost, the caller must not wait forever. Time in which
 * the JVM itself was stopped does not count.
 */
final class Standstill {
  /** The maximum duration of a single wait. */
  static final long STEP_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** A read connects and reads several times, each with its own timeout. */
  private static final int TIMEOUTS = 15;

  private final long limitNanos;
  private long nanos;

  Standstill(long socketTimeoutMillis) {
    limitNanos =
        TimeUnit.MILLISECONDS.toNanos(
            TIMEOUTS * Math.max(TimeUnit.NANOSECONDS.toMillis(STEP_NANOS), socketTimeoutMillis));
  }

  /** Records that a read has finished or failed. */
  void changed() {
    nanos = 0;
  }

  /** Records a wait; a change that ended it must be recorded first. */
  void waited(long elapsedNanos) {
    nanos += Math.min(STEP_NANOS, elapsedNanos);
  }

  boolean isOver() {
    return nanos >= limitNanos;
  }

  long limitMinutes() {
    return TimeUnit.NANOSECONDS.toMinutes(limitNanos);
  }
}
