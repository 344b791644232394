// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Shows on stderr the running step, its progress, its rate, and the estimated remaining time.
 *
 * <p>On a terminal the line of the running step, with a progress bar, is rewritten a few times a
 * second. Otherwise (a log, a pipe) a step prints one line every ten seconds and one when it ends.
 *
 * <p>Not thread-safe.
 */
public final class Progress {

  /** The format of the output. */
  public enum Style {
    /** One line, rewritten in place. */
    TERMINAL,
    /** Separate lines, at most one every ten seconds while a step runs. */
    LINES
  }

  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long LINES_NANOS = 10_000_000_000L;
  private static final double MIB = 1 << 20;
  private static final int LINE_COLUMNS = 100;
  private static final int BAR_COLUMNS = 20;

  private final PrintStream out;
  private final Style style;
  private final LongSupplier nanoClock;
  private final long startedNanos;

  public Progress(PrintStream out, Style style, LongSupplier nanoClock) {
    this.out = out;
    this.style = style;
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
  }

  /** Returns progress on stderr that rewrites lines if stderr is probably a terminal. */
  public static Progress onStandardError() {
    boolean watched = isTerminal() && !"dumb".equals(System.getenv("TERM"));
    return new Progress(System.err, watched ? Style.TERMINAL : Style.LINES, System::nanoTime);
  }

  /**
   * Returns whether there is a console with a terminal. Since JDK 22 a console exists without a
   * terminal too; {@code Console.isTerminal} distinguishes the cases.
   */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** Prints a message that is not overwritten. */
  public void say(String format, Object... arguments) {
    out.printf("%s         %s%n", clear(), String.format(Locale.ROOT, format, arguments));
  }

  /**
   * Starts a step.
   *
   * @param total bytes that the step will process, 0 if unknown
   */
  public Step step(String name, long total) {
    Step step = new Step(name, total);
    if (style == Style.TERMINAL) {
      step.show();
    }
    return step;
  }

  /** Returns the seconds since the start. */
  public double seconds() {
    return (nanoClock.getAsLong() - startedNanos) / 1e9;
  }

  private String clear() {
    if (style == Style.LINES) {
      return "";
    }
    return String.format("\r%" + LINE_COLUMNS + "s\r", "");
  }

  /** A running step; closing it prints its result. */
  public final class Step implements AutoCloseable {
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

    /** Adds to the bytes that are done. */
    public void advance(long bytes) {
      advanceTo(done + bytes);
    }

    /** Sets the total bytes that are done. */
    public void advanceTo(long bytes) {
      done = bytes;
      refresh();
    }

    /** Shows a description of the current activity. */
    public void note(String text) {
      note = text;
      refresh();
    }

    /**
     * Marks the step as successful; must be called last. A step that is closed without it counts as
     * failed.
     */
    public void succeeded() {
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
        String line = clear() + describe(true);
        out.print(line.substring(0, Math.min(line.length(), 2 * LINE_COLUMNS)));
        out.flush();
      } else {
        out.println(describe(true));
      }
    }

    private String describe(boolean running) {
      double seconds = (nanoClock.getAsLong() - stepStarted) / 1e9;
      StringBuilder line = new StringBuilder();
      append(line, "[%5.1fs] %-34s", seconds(), name);
      if (running && total > 0) {
        appendBar(line);
        append(line, " %3d %%", Math.min(100, 100 * done / total));
      }
      if (done > 0) {
        append(line, " %8.1f MiB/s", done / MIB / Math.max(seconds, 1e-3));
      }
      if (running && 0 < done && done < total) {
        long left = Math.round(seconds * (total - done) / done);
        append(line, ", %d:%02d left", left / 60, left % 60);
      }
      if (!running) {
        append(line, " %6.1f s", seconds);
      }
      return note.isEmpty() ? line.toString() : line.append("  ").append(note).toString();
    }

    private void appendBar(StringBuilder line) {
      if (style == Style.TERMINAL) {
        long filled = Math.min(BAR_COLUMNS, BAR_COLUMNS * done / total);
        line.append(" [");
        for (int i = 0; i < BAR_COLUMNS; i++) {
          line.append(i < filled ? '#' : '-');
        }
        line.append(']');
      }
    }

    private void append(StringBuilder line, String format, Object... values) {
      line.append(String.format(Locale.ROOT, format, values));
    }
  }
}
