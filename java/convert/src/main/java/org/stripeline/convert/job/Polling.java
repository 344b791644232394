// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.stripeline.natives.Ticker;

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
  public static void await(Ticker ticker, String message, Condition condition) throws IOException {
    await(ticker, message, LIMIT_MS, condition);
  }

  /** Polls until the condition holds, for {@code limitMs} at most. */
  public static void await(Ticker ticker, String message, long limitMs, Condition condition)
      throws IOException {
    require(isMet(ticker, limitMs, condition), message, limitMs);
  }

  /**
   * Polls until the condition holds, for a minute at most, with growing pauses.
   *
   * @param pauseMsMax longest pause in milliseconds
   */
  public static void awaitSlowly(
      Ticker ticker, String message, long pauseMsMax, Condition condition) throws IOException {
    require(isMet(ticker, LIMIT_MS, PAUSE_MS_MIN, pauseMsMax, condition), message, LIMIT_MS);
  }

  /** Polls until the condition holds, for {@code limitMs} at most; returns whether it holds. */
  public static boolean isMet(Ticker ticker, long limitMs, Condition condition) throws IOException {
    return isMet(ticker, limitMs, PAUSE_MS_MIN, PAUSE_MS_MAX, condition);
  }

  /** Polls with equal pauses, see {@link #isMet(Ticker, long, Condition)}. */
  public static boolean isMet(Ticker ticker, long limitMs, long pauseMs, Condition condition)
      throws IOException {
    return isMet(ticker, limitMs, pauseMs, pauseMs, condition);
  }

  private static boolean isMet(
      Ticker ticker, long limitMs, long pauseMsMin, long pauseMsMax, Condition condition)
      throws IOException {
    long start = ticker.nanos();
    long pauseMs = pauseMsMin;
    while (!condition.holds()) {
      if (ticker.nanos() - start > TimeUnit.MILLISECONDS.toNanos(limitMs)) {
        return false;
      }
      pause(ticker, pauseMs);
      pauseMs = Math.min(pauseMsMax, 2 * pauseMs);
    }
    return true;
  }

  private static void require(boolean isMet, String message, long limitMs) throws IOException {
    if (!isMet) {
      throw new IOException(message + ": not done after " + limitMs / 1000 + " s");
    }
  }

  /** Waits for a time. An interrupt is thrown as an exception. */
  public static void pause(Ticker ticker, long ms) throws InterruptedIOException {
    try {
      ticker.sleep(TimeUnit.MILLISECONDS.toNanos(ms));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot wait: interrupted");
    }
  }
}
