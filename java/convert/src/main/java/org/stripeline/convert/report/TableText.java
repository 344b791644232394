// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Terminal;
import org.stripeline.terminal.TextTable;

/** Prints a plan or the result of a job as text for people. */
public final class TableText {
  private final PrintWriter out;

  public TableText(PrintWriter out) {
    this.out = out;
  }

  public void plan(JobSettings settings, Totals totals, Map<String, String> policies) {
    TextTable table = new TextTable("what", "files", "bytes", "on disks now", "after");
    table.row(
        settings.undo ? "back to replication" : "convert to " + settings.policy,
        Long.toString(totals.files),
        Quantity.bytes(totals.bytes),
        Quantity.bytes(totals.diskBytesNow),
        Quantity.bytes(totals.diskBytesAfter));
    if (settings.layout == Layout.AUTO) {
      totals.treatments.forEach(
          (treatment, sum) ->
              table.row(
                  "  of these: " + treatment.label(),
                  Long.toString(sum.files),
                  Quantity.bytes(sum.bytes),
                  Quantity.bytes(sum.diskBytesNow),
                  Quantity.bytes(sum.diskBytesAfter)));
    }
    for (Map.Entry<SkipReason, Totals.Skipped> entry : totals.skipped.entrySet()) {
      Totals.Skipped sum = entry.getValue();
      table.row(
          "skip: " + entry.getKey().text(),
          Long.toString(sum.files),
          Quantity.bytes(sum.bytes),
          Quantity.bytes(sum.diskBytes),
          Quantity.bytes(sum.diskBytes));
    }
    out.print(table.render());
    for (Map.Entry<SkipReason, Totals.Skipped> entry : totals.skipped.entrySet()) {
      if (entry.getKey() != SkipReason.RULE) {
        out.println(
            "skipped, " + entry.getKey().text() + ": such as " + names(entry.getValue().examples));
      }
    }
    if (settings.layout == Layout.CONTIGUOUS && totals.filesOfFewBlocks > 0) {
      out.println(
          Quantity.counted(totals.filesOfFewBlocks, "file")
              + " with fewer than "
              + settings.code().data()
              + " blocks: --layout=auto treats each of them as saves most, or leaves it");
    }
    vanished(totals.vanished);
    for (Map.Entry<String, String> policy : policies.entrySet()) {
      out.println("policy " + policy.getKey() + ": to " + policy.getValue() + " on the NameNode");
    }
    out.flush();
  }

  public void report(JobReport report, double seconds) {
    out.println(
        String.format(
            Locale.ROOT,
            "converted %s, %s, in %.1f s (%s/s)",
            Quantity.counted(report.converted(), "file"),
            Quantity.bytes(report.convertedBytes()),
            seconds,
            Quantity.bytes((long) (report.convertedBytes() / Math.max(seconds, 1e-3)))));
    AdoptionTraffic traffic = report.traffic();
    if (traffic.blocksLinked() + traffic.blocksSent() > 0) {
      out.println(
          "blocks kept in place: "
              + traffic.blocksLinked()
              + ", sent: "
              + traffic.blocksSent()
              + "; written: "
              + Quantity.bytes(traffic.bytesWritten())
              + ", to other racks "
              + Quantity.bytes(traffic.bytesWrittenRemote())
              + "; read from other racks: "
              + Quantity.bytes(traffic.bytesReadRemote()));
    }
    if (traffic.filesCopiedByDriver() > 0) {
      out.println(
          "copied by this process, because HDFS does not join files of encryption zones: "
              + Quantity.counted(traffic.filesCopiedByDriver(), "file"));
    }
    if (report.rolledBack() > 0) {
      out.println(
          "rolled back work in progress of a dead driver: "
              + Quantity.counted(report.rolledBack(), "file"));
    }
    report
        .skipped()
        .forEach(
            (reason, files) ->
                out.println("skipped " + Quantity.counted(files, "file") + ": " + reason.text()));
    if (report.failed() > 0) {
      out.println("not converted: " + Quantity.counted(report.failed(), "file"));
    }
    for (JobReport.Failure failure : report.failures()) {
      out.println("  " + Terminal.oneLine(failure.toString()));
    }
    if (report.failed() > report.failures().size()) {
      out.println(
          "  and "
              + (report.failed() - report.failures().size())
              + " more, all listed in the journal of job "
              + report.job());
    }
    vanished(report.vanished());
    if (report.vanished().isAny()) {
      out.println("the tree was not examined completely: begin another job on it for the rest");
    }
    endedEarly(report);
    if (report.gone() != null) {
      out.println(report.gone());
    }
    out.flush();
  }

  private void endedEarly(JobReport report) {
    if (report.isCancelled()) {
      out.println(
          "job "
              + report.job()
              + (report.isOpen()
                  ? " is not cancelled yet, because not all of its work could be ended;"
                      + " run --cancel again"
                  : " was cancelled: files that it had converted stay converted"));
    }
    if (report.isLeftPaused()) {
      out.println(
          "job " + report.job() + " is left as it is, because it is paused and its time is over");
    }
  }

  private void vanished(Vanished vanished) {
    if (vanished.isAny()) {
      out.println(
          "renamed or deleted before they were examined: "
              + Quantity.counted(vanished.directories, "directory", "directories")
              + ", "
              + Quantity.counted(vanished.files, "file")
              + "; such as "
              + names(vanished.examples));
    }
  }

  private static String names(List<String> examples) {
    return Terminal.oneLine(String.join(", ", examples));
  }
}
