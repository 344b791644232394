// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.function.UnaryOperator;
import org.stripeline.convert.report.ProgressText;

/** Explains, when a signal ends the process during a job, what happens now and how to continue. */
final class Interruption implements AutoCloseable {
  private final Thread hook;

  /**
   * Waits for the end of the process, until this is closed.
   *
   * @param advice returns how to continue the job of a name, which is null if none has begun; null
   *     if there is nothing to continue
   */
  Interruption(ProgressText shown, UnaryOperator<String> advice) {
    hook =
        new Thread(
            () -> shown.interrupted(text(advice.apply(shown.job()))), "stripeline-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private static String text(String advice) {
    return advice == null
        ? "Interrupted before the job began: no file was changed."
        : "Interrupted, exit status 130 (Ctrl-C) or 143 (SIGTERM). Files in progress can stay"
            + " locked until their lease expires,\n"
            + "in about a minute; agents stop by themselves.\n"
            + advice;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook speaks.
      try {
        hook.join();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
