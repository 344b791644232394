// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Polls the NameNode or DataNodes until a condition holds. */
public final class Polling {
  /** Twice the time that slow DataNodes take to report a received block. */
  private static final long LIMIT_MS = 60_000;

  private static final long PAUSE_MS_MIN = 5;
  private static final long PAUSE_MS_MAX = 500;

  private Polling() {}

  /** A condition that depends on the NameNode. */
  public interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Polls until the condition holds, for a minute at most.
   *
   * @param message beginning of the exception's message if the time is up
   */
  public static void await(String message, Condition condition) throws IOException {
    await(message, LIMIT_MS, condition);
  }

  /** Polls until the condition holds, for {@code limitMs} at most. */
  public static void await(String message, long limitMs, Condition condition) throws IOException {
    await(message, limitMs, PAUSE_MS_MAX, condition);
  }

  /**
   * Polls until the condition holds, for a minute at most, with growing pauses.
   *
   * @param pauseMsMax longest pause in milliseconds
   */
  public static void awaitSlowly(String message, long pauseMsMax, Condition condition)
      throws IOException {
    await(message, LIMIT_MS, pauseMsMax, condition);
  }

  private static void await(String message, long limitMs, long pauseMsMax, Condition condition)
      throws IOException {
    long start = System.nanoTime();
    long pauseMs = PAUSE_MS_MIN;
    while (!condition.holds()) {
      if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(limitMs)) {
        throw new IOException(message + ": not done after " + limitMs / 1000 + " s");
      }
      pause(pauseMs);
      pauseMs = Math.min(pauseMsMax, 2 * pauseMs);
    }
  }

  /** Sleeps. An interrupt is thrown as an exception. */
  public static void pause(long ms) throws InterruptedIOException {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait: interrupted");
    }
  }
}
