// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions that other threads and processes establish. */
public final class Conditions {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private Conditions() {}

  /**
   * Polls until the condition holds.
   *
   * @throws AssertionError after a minute, with the name of the condition
   */
  public static void await(String what, Callable<Boolean> condition) {
    long start = System.nanoTime();
    try {
      while (!condition.call()) {
        if (System.nanoTime() - start > LIMIT_NANOS) {
          throw new AssertionError("Timed out after 60 s waiting for " + what);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("Cannot wait for " + what, e);
    }
  }
}
