// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.PrintWriter;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Terminal;

/** Prints what a ledger has, for people. */
final class CoverageText {
  private final PrintWriter out;
  private final long nowMs;

  private CoverageText(PrintWriter out, long nowMs) {
    this.out = out;
    this.nowMs = nowMs;
  }

  /**
   * Prints a report.
   *
   * @param nowMs the time of day, in milliseconds
   */
  static void print(CoverageReport report, PrintWriter out, long nowMs) {
    new CoverageText(out, nowMs).print(report);
    out.flush();
  }

  private void print(CoverageReport report) {
    out.println(
        Terminal.oneLine(String.join(" ", report.paths))
            + ": "
            + Quantity.counted(report.files, "file")
            + ", "
            + Quantity.bytes(report.bytes)
            + " of data; ledger "
            + report.ledger);
    share("checked within 1 day", report.bytesWithin1Day, report.bytes);
    share("checked within 7 days", report.bytesWithin7Days, report.bytes);
    share("checked within 30 days", report.bytesWithin30Days, report.bytes);
    share("never checked completely", report.bytesNeverChecked, report.bytes);
    line("oldest check", report.oldestCheckMs == null ? "-" : ago(report.oldestCheckMs));
    line("groups read by the client", Quantity.count(report.groupsByClient));
    long incomplete = report.groupsReplicaNotRead + report.groupsNotCompared + report.groupsNotRead;
    line(
        "groups not checked, or in part",
        incomplete == 0
            ? "0"
            : incomplete
                + " ("
                + report.groupsReplicaNotRead
                + " with a replica that was not read, "
                + report.groupsNotCompared
                + " with windows that could not be compared, "
                + report.groupsNotRead
                + " of which nothing was read)");
    line("groups damaged", Quantity.count(report.groupsDamaged));
    for (CoverageReport.Damaged one : report.damaged) {
      String path = Terminal.oneLine(one.path);
      out.println("    " + path + " block " + one.block + ", checked " + ago(one.triedMs));
    }
    if (report.groupsDamaged > report.damaged.size()) {
      out.println("    and " + (report.groupsDamaged - report.damaged.size()) + " more");
    }
    if (report.pathsUnread > 0) {
      out.println("  " + Quantity.counted(report.pathsUnread, "path") + " could not be listed");
    }
  }

  private void share(String name, long bytes, long all) {
    line(name, Quantity.bytes(bytes) + " (" + Quantity.percent(bytes, all) + ")");
  }

  private void line(String name, String value) {
    out.println(String.format("  %-32s %s", name, value));
  }

  private String ago(long timeMs) {
    return Quantity.duration(Math.max(0, nowMs - timeMs) / 1000.0) + " ago";
  }
}
