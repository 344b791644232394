// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.List;
import java.util.function.UnaryOperator;
import org.stripeline.convert.report.ProgressText;

/** Explains, when a signal ends the process during a job, what happens now and how to continue. */
final class Interruption implements AutoCloseable {
  private final Thread hook;

  /**
   * Waits for the end of the process, until this is closed.
   *
   * @param text returns what to print, from the name of the job, which is null if none has begun
   */
  Interruption(ProgressText shown, UnaryOperator<String> text) {
    hook = new Thread(() -> shown.interrupted(text.apply(shown.job())), "stripeline-interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Returns what to print.
   *
   * @param advice how to continue the job; null if it had not begun
   * @param ended the paths of the same command whose jobs had ended
   */
  static String text(String advice, String path, List<String> ended) {
    if (advice != null) {
      return "Interrupted, exit status 130 (Ctrl-C) or 143 (SIGTERM). Files in progress can stay"
          + " locked until their lease expires,\n"
          + "in about a minute; agents stop by themselves.\n"
          + advice;
    }
    return ended.isEmpty()
        ? "Interrupted before the job began: no file was changed."
        : "Interrupted before the job on "
            + path
            + " began: no file there was changed.\nEnded before: "
            + String.join(" ", ended);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: let the hook print its text.
      try {
        hook.join();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
