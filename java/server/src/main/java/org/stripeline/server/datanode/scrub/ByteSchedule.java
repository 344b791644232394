// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import java.util.concurrent.TimeUnit;

/**
 * Spreads reads over time so that a rate is not exceeded. Time in which nothing is read cannot be
 * used later: no burst follows it. Not thread-safe.
 */
final class ByteSchedule {
  private final long bytesPerSecond;
  private boolean isUsed;

  /** The earliest time of the next read, once there was one. */
  private long freeNanos;

  /** Creates a schedule; 0 bytes per second mean no limit. */
  ByteSchedule(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Returns the time before which the next read must not begin; not before {@code nowNanos}. */
  long next(long nowNanos) {
    return isUsed && freeNanos - nowNanos > 0 ? freeNanos : nowNanos;
  }

  /**
   * Enters a read of at most 2 MiB, and returns the time before which it must not begin; not before
   * {@code nowNanos}.
   */
  long enter(long nowNanos, long bytes) {
    if (bytesPerSecond == 0) {
      return nowNanos;
    }
    long start = next(nowNanos);
    freeNanos = start + bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    isUsed = true;
    return start;
  }
}
