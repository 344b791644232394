// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Terminal;
import org.stripeline.terminal.TextTable;

/** Prints jobs and their states. */
public final class StatusText {
  /** Number of DataNodes that are printed; JSON has more. */
  private static final int NODES_MAX = 20;

  /** A service records its status every 10 s. */
  private static final int SERVICE_SILENT_SECONDS = 60;

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final PrintWriter out;
  private final boolean isJson;

  /**
   * Creates a printer.
   *
   * @param isJson whether to print one JSON object per job and line
   */
  public StatusText(PrintWriter out, boolean isJson) {
    this.out = out;
    this.isJson = isJson;
  }

  /** Prints what the last conversion service recorded. */
  public void service(ServiceStatus service, long nowMs) {
    if (isJson) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put(OutputOptions.SCHEMA_KEY, OutputOptions.SCHEMA);
      line.put("service", service);
      out.println(GSON.toJson(line));
      out.flush();
      return;
    }
    double ageSeconds = Math.max(0, nowMs - service.atMs) / 1000.0;
    boolean isSilent = ageSeconds > SERVICE_SILENT_SECONDS && !service.state.equals("stopped");
    out.println(
        "service on "
            + service.host
            + ": "
            + (isSilent ? "does not answer, was " : "")
            + service.state
            + (service.nextPassMs == null
                ? ""
                : ", next pass at " + Instant.ofEpochMilli(service.nextPassMs))
            + "; status of "
            + Quantity.duration(ageSeconds)
            + " ago; "
            + Quantity.counted(service.filesConverted, "file")
            + ", "
            + Quantity.bytes(service.bytesConverted)
            + " converted in "
            + Quantity.counted(service.passes, "pass", "passes"));
    if (service.rulesError != null) {
      out.println("  " + service.rulesError);
    }
    TextTable table = new TextTable("rule", "last", "job", "files", "bytes", "failed").left(3);
    for (ServiceStatus.RuleStatus rule : service.rules) {
      table.row(
          rule.name,
          rule.last,
          rule.job == null ? "-" : rule.job,
          Long.toString(rule.filesConverted),
          Quantity.bytes(rule.bytesConverted),
          Long.toString(rule.filesFailed));
    }
    out.print(table.section());
    out.println();
    out.flush();
  }

  /** Prints one line per job. */
  public void list(List<JobEntry> jobs) {
    if (isJson) {
      jobs.forEach(job -> out.println(GSON.toJson(job.toJson())));
    } else if (jobs.isEmpty()) {
      out.println("There are no jobs.");
    } else {
      TextTable table =
          new TextTable("job", "path", "state", "done", "of", "files", "failed", "rate", "left")
              .left(3);
      jobs.forEach(job -> table.row(row(job)));
      out.print(table.render());
    }
    out.flush();
  }

  private static String[] row(JobEntry job) {
    JobStatus status = job.status();
    String state = job.state().toString();
    if (status == null) {
      return new String[] {job.name(), job.path(), state, "-", "-", "-", "-", "-", "-"};
    }
    // Nothing is known before the driver has looked at the tree, nor if it only cancelled the job.
    boolean isCounted = status.bytes > 0 || status.bytesConverted > 0;
    boolean isRunning = job.state() == JobState.RUNNING && status.secondsLeft != null;
    return new String[] {
      job.name(),
      job.path(),
      state,
      isCounted ? Quantity.bytes(status.bytesConverted) : "-",
      isCounted ? Quantity.bytes(status.bytes) : "-",
      status.files == 0 ? "-" : status.filesConverted + " of " + status.files,
      Long.toString(status.filesFailed),
      status.bytesPerSecond == 0 ? "-" : Quantity.bytes(status.bytesPerSecond) + "/s",
      isRunning ? Quantity.duration(status.secondsLeft) : "-"
    };
  }

  /** Prints what a table of jobs does not show: failures and DataNodes. */
  public void details(JobEntry job) {
    JobStatus status = job.status();
    boolean isBegun = job.state() == JobState.BEGUN;
    boolean isInterrupted = job.state() == JobState.INTERRUPTED;
    if (isJson || (status == null && !isBegun && !isInterrupted)) {
      return;
    }
    out.println();
    String then =
        isBegun
            ? ", nothing has been done"
            : job.state().isEnded() || status == null
                ? ""
                : ", status of "
                    + Quantity.duration(job.ageMs() / 1000.0)
                    + " ago from "
                    + status.host;
    out.println("job " + job.name() + ": " + job.state() + then);
    String end = "end it with: stripeline convert --cancel --job=" + job.name();
    if (job.state() == JobState.FINISHED && job.isAskedToCancel()) {
      out.println("  the request to cancel it came when nothing was left to do");
    } else if (isInterrupted && job.isAskedToCancel()) {
      out.println("  its driver died before it had cancelled the job; " + end);
    } else if (isInterrupted && job.isAskedToPause() && job.isOfRule()) {
      out.println(
          "  it is paused; continue it with: stripeline convert --continue --job=" + job.name());
    } else if (isBegun || isInterrupted) {
      out.println("  continue it with: " + PathArguments.resumeCommand(job.path(), job.name()));
    }
    if (isBegun) {
      out.println("  or " + end);
    }
    if (status != null) {
      details(status);
    }
    out.flush();
  }

  private void details(JobStatus status) {
    for (JobReport.Failure failure : status.failures) {
      out.println("  not converted: " + Terminal.oneLine(failure.toString()));
    }
    if (status.filesFailed > status.failures.size()) {
      long more = status.filesFailed - status.failures.size();
      out.println("  and " + more + " more, all listed in the journal");
    }
    if (status.dataNodes != null && !status.dataNodes.isEmpty()) {
      TextTable table = new TextTable("DataNode", "encoded", "kept in place", "written");
      int rows = 0;
      for (Map.Entry<String, AdoptionTraffic.OfNode> node : status.dataNodes.entrySet()) {
        if (rows++ < NODES_MAX) {
          AdoptionTraffic.OfNode figures = node.getValue();
          table.row(
              node.getKey(),
              Quantity.bytes(figures.bytesEncoded),
              Quantity.bytes(figures.bytesKept),
              Quantity.bytes(figures.bytesWritten));
        }
      }
      out.print(table.section());
    }
  }
}
