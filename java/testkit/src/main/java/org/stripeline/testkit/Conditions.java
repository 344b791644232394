// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions that other threads and processes establish. */
public final class Conditions {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long PAUSE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private Conditions() {}

  /**
   * Polls until the condition holds. Each pause is twice as long as the last evaluation, within
   * bounds, so that an expensive condition does not slow down what it waits for.
   *
   * @throws AssertionError after a minute, with the name of the condition
   */
  public static void await(String what, Callable<Boolean> condition) {
    long start = System.nanoTime();
    try {
      long begin = start;
      while (!condition.call()) {
        long end = System.nanoTime();
        if (end - start > LIMIT_NANOS) {
          throw new AssertionError("Timed out after 60 s waiting for " + what);
        }
        long pause = Math.max(PAUSE_MIN_NANOS, Math.min(2 * (end - begin), PAUSE_MAX_NANOS));
        LockSupport.parkNanos(pause);
        begin = System.nanoTime();
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("Cannot wait for " + what, e);
    }
  }
}
