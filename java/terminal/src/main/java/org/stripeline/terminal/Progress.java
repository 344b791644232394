// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Shows on stderr the running step, its progress, its rate, and the estimated remaining time.
 *
 * <p>On a terminal the line of the running step, with a progress bar, is rewritten a few times a
 * second. Otherwise (a log, a pipe) a step prints one line every ten seconds. At its end a step
 * prints its result, unless it is in passing.
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

  /** What steps count. */
  public enum Unit {
    BYTES,
    FILES
  }

  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long LINES_NANOS = 10_000_000_000L;
  private static final int LINE_COLUMNS = 100;
  private static final int BAR_COLUMNS = 20;

  private final PrintWriter out;
  private final Style style;
  private final LongSupplier nanoClock;
  private final long startedNanos;

  /** Creates progress in a style, with a clock in nanoseconds. */
  public Progress(PrintWriter out, Style style, LongSupplier nanoClock) {
    this.out = out;
    this.style = style;
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
  }

  /**
   * Returns progress that rewrites lines if stderr is a terminal.
   *
   * @param err writes to stderr
   */
  public static Progress onStandardError(PrintWriter err) {
    boolean watched = Terminal.is(2) && !"dumb".equals(System.getenv("TERM"));
    return new Progress(err, watched ? Style.TERMINAL : Style.LINES, System::nanoTime);
  }

  /**
   * Returns progress for a command that prints to stdout while its steps run: it rewrites lines
   * only if stdout is not a terminal.
   *
   * @param err writes to stderr
   */
  public static Progress besideOutput(PrintWriter err) {
    return Terminal.is(1) ? new Progress(err, Style.LINES, System::nanoTime) : onStandardError(err);
  }

  /** Prints a message that is not overwritten, below the names of steps. */
  public void say(String format, Object... arguments) {
    print("         " + String.format(Locale.ROOT, format, arguments));
  }

  /** Prints a line that is not overwritten. */
  public void print(String line) {
    out.println(clear() + (style == Style.TERMINAL ? Terminal.mark(line, 2) : line));
    out.flush();
  }

  /**
   * Starts a step.
   *
   * @param total bytes that the step will process, 0 if unknown
   */
  public Step step(String name, long total) {
    return step(name, total, Unit.BYTES, false);
  }

  /**
   * Starts a step in passing, which prints no result.
   *
   * @param total what the step will process, 0 if unknown
   */
  public Step passing(String name, long total, Unit unit) {
    return step(name, total, unit, true);
  }

  private Step step(String name, long total, Unit unit, boolean isPassing) {
    Step step = new Step(name, total, unit, isPassing);
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
    private final Unit unit;
    private final boolean isPassing;
    private final long stepStarted = nanoClock.getAsLong();
    private long lastShown = stepStarted;
    private long total;
    private long done;

    /** Everything that was ever done, also what was taken back: it took time. */
    private long worked;

    private long tickedNanos = stepStarted;
    private long idleNanos;
    private String note = "";
    private String outcome = "FAILED";

    private Step(String name, long total, Unit unit, boolean isPassing) {
      this.name = name;
      this.total = total;
      this.unit = unit;
      this.isPassing = isPassing;
    }

    /**
     * Adds to what is done. A negative number takes back what turned out not to be done, which
     * still counts for the rate and the remaining time.
     */
    public void advance(long more) {
      advanceTo(done + more);
    }

    /** Adds to what is done, and describes it. */
    public void advance(long more, String text) {
      note = text;
      advance(more);
    }

    /** Sets what is done. */
    public void advanceTo(long amount) {
      worked += Math.max(0, amount - done);
      done = amount;
      refresh();
    }

    /** Takes what will not be processed off the total, and describes it. */
    public void leaveOut(long amount, String text) {
      note = text;
      total = Math.max(0, total - amount);
      refresh();
    }

    /**
     * Shows the step again although nothing may have been done.
     *
     * @param isIdle whether nothing was to be done since the last call, so that this time does not
     *     count for the rate
     * @param text description of the current activity
     */
    public void tick(boolean isIdle, String text) {
      long now = nanoClock.getAsLong();
      idleNanos += isIdle ? now - tickedNanos : 0;
      tickedNanos = now;
      note(text);
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
      outcome = "";
    }

    /** Marks the step as neither successful nor failed, for example as left out. */
    public void ended(String how) {
      outcome = how;
    }

    @Override
    public void close() {
      if (isPassing) {
        out.print(clear());
        out.flush();
      } else {
        print(outcome.isEmpty() ? describe(false) : describe(true) + "  " + outcome);
      }
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
        print(describe(true));
      }
    }

    private String describe(boolean running) {
      double seconds = (nanoClock.getAsLong() - stepStarted) / 1e9;
      StringBuilder line = new StringBuilder();
      // A line that is rewritten has no others to be aligned with.
      boolean isAlone = running && style == Style.TERMINAL;
      append(line, isAlone ? "[%5.1fs] %s" : "[%5.1fs] %-34s", seconds(), name);
      if (running && total > 0) {
        appendBar(line);
        append(line, " %3d %%", Math.min(100, 100 * done / total));
      }
      double rate = (running ? worked : done) / Math.max(seconds - idleNanos / 1e9, 1e-3);
      if (done > 0) {
        if (unit == Unit.BYTES) {
          append(line, " %8.1f MiB/s", rate / ByteSize.MIB);
        } else {
          append(line, " %s, %.0f/s", Quantity.counted(done, "file"), rate);
        }
      }
      if (running && 0 < done && done < total) {
        long left = Math.round((total - done) / rate);
        String text =
            left < 3600
                ? String.format(Locale.ROOT, "%d:%02d", left / 60, left % 60)
                : Quantity.duration(left);
        line.append(", ").append(text).append(" left");
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
