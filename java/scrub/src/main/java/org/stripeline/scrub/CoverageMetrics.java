// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Writes what a ledger has as metrics, in the text format of Prometheus. A file is used because
 * scrub is a command that ends, so that nothing could be scraped between two runs.
 */
final class CoverageMetrics {
  private final StringBuilder text = new StringBuilder();
  private final String labels;

  private CoverageMetrics(CoverageReport report) {
    labels = label("path", String.join(" ", report.paths));
  }

  /**
   * Writes a report to a file, which is replaced at once: readers never see a part of it.
   *
   * @param nowMs the time of day, in milliseconds
   */
  static void write(CoverageReport report, long nowMs, Path file) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      Files.write(next, text(report, nowMs).getBytes(StandardCharsets.UTF_8));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new IOException("Cannot write " + file + ": " + e, e);
    }
  }

  /** Returns the metrics of a report. */
  static String text(CoverageReport report, long nowMs) {
    CoverageMetrics metrics = new CoverageMetrics(report);
    metrics.addAll(report, nowMs);
    return metrics.text.toString();
  }

  private void addAll(CoverageReport report, long nowMs) {
    gauge("status_time_seconds", "When this file was written, in seconds since 1970.");
    time("status_time_seconds", nowMs);
    gauge("bytes", "Bytes of data, without parity and replicas.");
    sample("bytes", "", report.bytes);
    gauge("bytes_checked", "Bytes whose last complete check was within a number of days.");
    sample("bytes_checked", label("within_days", "1"), report.bytesWithin1Day);
    sample("bytes_checked", label("within_days", "7"), report.bytesWithin7Days);
    sample("bytes_checked", label("within_days", "30"), report.bytesWithin30Days);
    gauge("bytes_never_checked", "Bytes that were never checked completely.");
    sample("bytes_never_checked", "", report.bytesNeverChecked);
    if (report.oldestCheckMs != null) {
      gauge(
          "oldest_check_time_seconds", "When the group was checked that was checked longest ago.");
      time("oldest_check_time_seconds", report.oldestCheckMs);
    }
    gauge("groups_checked", "Groups that were checked completely.");
    sample("groups_checked", "", report.groupsChecked);
    gauge("groups_damaged", "Groups with damage.");
    sample("groups_damaged", "", report.groupsDamaged);
    gauge("groups_not_checked", "Groups whose last check was incomplete.");
    sample("groups_not_checked", label("reason", "replica_not_read"), report.groupsReplicaNotRead);
    sample("groups_not_checked", label("reason", "not_compared"), report.groupsNotCompared);
    sample("groups_not_checked", label("reason", "not_read"), report.groupsNotRead);
    gauge("groups_by_client", "Groups whose last check read replicas through the client.");
    sample("groups_by_client", "", report.groupsByClient);
    gauge("paths_unread", "Files and directories that could not be listed.");
    sample("paths_unread", "", report.pathsUnread);
  }

  private void gauge(String name, String help) {
    text.append("# HELP stripeline_scrub_").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE stripeline_scrub_").append(name).append(" gauge\n");
  }

  private void sample(String name, String more, Object value) {
    text.append("stripeline_scrub_").append(name).append('{').append(labels);
    text.append(more.isEmpty() ? "" : "," + more).append("} ").append(value).append('\n');
  }

  private void time(String name, long millis) {
    sample(name, "", String.format(Locale.ROOT, "%.3f", millis / 1000.0));
  }

  private static String label(String name, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return name + "=\"" + escaped + '"';
  }
}
