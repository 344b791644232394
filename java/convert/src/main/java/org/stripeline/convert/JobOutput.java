// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.Map;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.JsonLines;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.convert.report.TableText;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** Prints the plan or the result of one job. */
final class JobOutput {
  private final PrintWriter out;
  private final PrintWriter err;
  private final ProgressText shown;
  private final JsonLines lines;
  private final Runnable ended;

  /**
   * Creates a printer.
   *
   * @param shown the progress of the job, which is closed before its result is printed
   * @param lines prints JSON; null to print text
   * @param ended called when the job has ended, before its result is printed
   */
  JobOutput(CommandLine command, ProgressText shown, JsonLines lines, Runnable ended) {
    out = command.getOut();
    err = command.getErr();
    this.shown = shown;
    this.lines = lines;
    this.ended = ended;
  }

  /** Shows what a job would do, and returns the exit status. */
  int plan(Driver driver, JobSettings settings) throws IOException {
    Policies policies = driver.policies(settings);
    Totals totals;
    try {
      totals = driver.plan(settings, policies);
    } finally {
      shown.close();
    }
    Map<String, String> steps =
        policies == null ? Collections.emptyMap() : policies.toDo(totals.policies.keySet());
    if (lines != null) {
      lines.plan(totals, steps);
    } else {
      new TableText(out).plan(settings, totals, steps);
    }
    if (policies != null) {
      policies.requireAdmitted();
    }
    if (lines == null) {
      boolean isRefused = settings.layout == Layout.STRIPED && !settings.allowStaleReaders;
      err.println(
          isRefused
              ? "Nothing was changed; --execute also needs --allow-stale-readers: "
                  + Preflight.STALE_READERS
                  + "."
              : "Nothing was changed; convert with --execute.");
      err.flush();
    }
    return totals.vanished.isAny() ? ExitStatus.FAILED : ExitStatus.SOUND;
  }

  /** A job that is begun or resumed. */
  interface Work {
    JobReport run() throws IOException;
  }

  /** Does a job, prints its result, and returns the exit status. */
  int report(Work job) throws IOException {
    long start = Ticker.SYSTEM.nanos();
    JobReport report;
    try {
      report = job.run();
      if (report.refusal() == null && !report.isOpen()) {
        ended.run();
      }
      shown.succeeded();
    } finally {
      shown.close();
    }
    double seconds = (Ticker.SYSTEM.nanos() - start) / 1e9;
    if (lines != null) {
      lines.report(report, seconds);
    } else {
      new TableText(out).report(report, seconds);
    }
    if (report.refusal() != null) {
      throw new CommandException(
          ExitStatus.USAGE,
          "Cannot continue job "
              + report.job()
              + ", of which everything else is settled as"
              + " shown: "
              + report.refusal());
    }
    return report.isComplete() ? ExitStatus.SOUND : ExitStatus.FAILED;
  }
}
