// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.AtSignal;

/**
 * Lets a service complete its files in progress when a signal ends the process. If HDFS does not
 * answer, the process ends without that, because another service can have the lease then.
 */
final class EndBySignal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EndBySignal.class);

  /** The time after which another service can take the lease of a silent client. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Runnable stop;
  private final LongSupplier answeredAt;
  private final Consumer<String> printer;
  private final Ticker ticker;
  private final Thread hook = new Thread(this::stopAndAwait, "stripeline-stop");
  private boolean isEnded;

  /**
   * Waits for the end of the process, until this is closed.
   *
   * @param stop lets the service begin no more files
   * @param answeredAt returns when HDFS last answered, as {@code ticker} has it
   * @param printer prints messages for people
   */
  EndBySignal(Runnable stop, LongSupplier answeredAt, Consumer<String> printer, Ticker ticker) {
    this.stop = stop;
    this.answeredAt = answeredAt;
    this.printer = printer;
    this.ticker = ticker;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Begins no more files, and waits until those in progress have ended or HDFS is silent. */
  void stopAndAwait() {
    stop.run();
    print("Ending after the files in progress; a kill -9 leaves them to the next service");
    long begun = ticker.nanos();
    synchronized (this) {
      while (!isEnded) {
        long now = ticker.nanos();
        long left = SILENT_NANOS - Math.min(now - begun, now - answeredAt.getAsLong());
        if (left <= 0) {
          break;
        }
        try {
          ticker.timedWait(this, left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
      if (isEnded) {
        return;
      }
    }
    print(
        "Ending now: HDFS has not answered for a minute. Files in progress stay locked until"
            + " their lease expires, and the next service settles them");
  }

  private void print(String text) {
    AtSignal.runOrGiveUp(() -> printer.accept(text));
  }

  @Override
  public void close() {
    synchronized (this) {
      isEnded = true;
      notifyAll();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      LOG.debug("The process is ending, and the hook knows that the work has ended", e);
    }
  }
}
