// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions that other threads and processes establish. */
final class Conditions {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private Conditions() {}

  /**
   * Polls until the condition holds.
   *
   * @throws AssertionError after a minute, with the name of the condition
   */
  static void await(String what, Callable<Boolean> condition) {
    long start = System.nanoTime();
    try {
      while (!condition.call()) {
        if (System.nanoTime() - start > LIMIT_NANOS) {
          throw new AssertionError("Waited in vain for " + what);
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
