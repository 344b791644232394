// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.terminal.AtSignal;

/**
 * Explains, when a signal ends the process during a command that changes files, what happens now
 * and how to continue.
 */
final class Interruption implements AutoCloseable {
  private final AtSignal signal;

  /**
   * Waits for the end of the process, until this is closed.
   *
   * @param paths how far the command has come
   * @param advice returns how to continue the job on the current path, from the name of the job,
   *     which is null if none has begun; null if there is nothing to continue
   * @param printer prints while no job is in progress
   */
  Interruption(PathSequence paths, UnaryOperator<String> advice, Consumer<String> printer) {
    signal = new AtSignal(() -> explain(paths, advice, printer));
  }

  static void explain(PathSequence paths, UnaryOperator<String> advice, Consumer<String> printer) {
    ProgressText shown = paths.interrupt();
    String way = shown == null ? null : advice.apply(shown.job());
    String text = way == null ? paths.interrupted() : during(way);
    if (shown == null) {
      printer.accept(text);
    } else {
      shown.interrupted(text);
    }
  }

  private static String during(String advice) {
    return "Interrupted, exit status 130 (Ctrl-C) or 143 (SIGTERM). Files in progress can stay"
        + " locked until their lease expires,\n"
        + "in about a minute; agents stop by themselves.\n"
        + advice;
  }

  @Override
  public void close() {
    signal.close();
  }
}
