// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Tells on stderr what is going on: the step, how far it is, how fast.
 *
 * <p>On a terminal the line of the running step is rewritten a few times a second; elsewhere (a
 * log, a pipe) a step is one line when it starts to be worth saying and one when it ends.
 *
 * <p>Used by one thread.
 */
final class Progress {

  /** How the running step is shown. */
  enum Style {
    /** One line rewritten in place. */
    TERMINAL,
    /** Lines that stay, at most one each ten seconds while a step runs. */
    LINES
  }

  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long LINES_NANOS = 10_000_000_000L;
  private static final double MIB = 1 << 20;
  private static final int LINE_COLUMNS = 96;

  private final PrintStream out;
  private final Style style;
  private final LongSupplier nanoClock;
  private final long startedNanos;

  Progress(PrintStream out, Style style, LongSupplier nanoClock) {
    this.out = out;
    this.style = style;
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
  }

  /** Shows on stderr, rewriting lines when a person is likely to be watching. */
  static Progress onStandardError() {
    boolean watched = System.console() != null && !"dumb".equals(System.getenv("TERM"));
    return new Progress(System.err, watched ? Style.TERMINAL : Style.LINES, System::nanoTime);
  }

  /** A remark that stays. */
  void say(String format, Object... arguments) {
    out.printf("%s         %s%n", clear(), String.format(Locale.ROOT, format, arguments));
  }

  /**
   * Starts a step.
   *
   * @param total bytes that the step will move, or 0 where that is not known
   */
  Step step(String name, long total) {
    Step step = new Step(name, total);
    if (style == Style.TERMINAL) {
      step.show();
    }
    return step;
  }

  /** Seconds since the start. */
  double seconds() {
    return (nanoClock.getAsLong() - startedNanos) / 1e9;
  }

  private String clear() {
    if (style == Style.LINES) {
      return "";
    }
    StringBuilder blank = new StringBuilder("\r");
    for (int i = 0; i < LINE_COLUMNS; i++) {
      blank.append(' ');
    }
    return blank.append('\r').toString();
  }

  /** A step that runs; closing it says how it went. */
  final class Step implements AutoCloseable {
    private final String name;
    private final long total;
    private final long stepStarted = nanoClock.getAsLong();
    private long lastShown = stepStarted;
    private long done;
    private String note = "";
    private boolean succeeded;

    private Step(String name, long total) {
      this.name = name;
      this.total = total;
    }

    /** Says that this many more bytes are done. */
    void advance(long bytes) {
      done += bytes;
      refresh();
    }

    /** Says in words how far it is, for steps that are not counted in bytes. */
    void note(String text) {
      note = text;
      refresh();
    }

    /** To be called last in a step that worked; a step that is closed without it failed. */
    void succeeded() {
      succeeded = true;
    }

    @Override
    public void close() {
      String end = succeeded ? describe(false) : describe(true) + "  FAILED";
      out.printf("%s%s%n", clear(), end);
    }

    private void refresh() {
      long now = nanoClock.getAsLong();
      if (now - lastShown >= (style == Style.TERMINAL ? TERMINAL_NANOS : LINES_NANOS)) {
        lastShown = now;
        show();
      }
    }

    private void show() {
      if (style == Style.TERMINAL) {
        out.printf("%s%s", clear(), describe(true));
        out.flush();
      } else {
        out.println(describe(true));
      }
    }

    private String describe(boolean running) {
      double seconds = (nanoClock.getAsLong() - stepStarted) / 1e9;
      StringBuilder line = new StringBuilder();
      line.append(String.format(Locale.ROOT, "[%5.1fs] %-46s", seconds(), name));
      if (running && total > 0) {
        line.append(String.format(Locale.ROOT, " %3d %%", Math.min(100, 100 * done / total)));
      }
      if (done > 0) {
        double speed = done / MIB / Math.max(seconds, 1e-3);
        line.append(String.format(Locale.ROOT, " %8.1f MiB/s", speed));
      }
      if (!running) {
        line.append(String.format(Locale.ROOT, " %6.1f s", seconds));
      }
      return note.isEmpty() ? line.toString() : line.append("  ").append(note).toString();
    }
  }
}
