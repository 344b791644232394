// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.Locale;
import org.stripeline.lab.bench.Judgement;
import org.stripeline.lab.bench.Spread;
import org.stripeline.terminal.TextTable;

/** Formats a report as text. */
final class ConvertTable {
  private final ConvertReport report;

  ConvertTable(ConvertReport report) {
    this.report = report;
  }

  String render() {
    StringBuilder text = new StringBuilder();
    line(
        text,
        "Hadoop %s, %s, %s, %d processors, load before: %s",
        report.hadoop,
        report.java,
        report.machine.processor,
        report.machine.processors,
        report.machine.load);
    line(text, "%s", report.coder);
    line(
        text,
        "%d DataNodes in %d racks, %s",
        report.datanodes,
        report.racks,
        report.linkMbit == 0
            ? "on the loopback"
            : "links of " + report.linkMbit + " Mbit/s, " + report.rackMbit + " between racks");
    line(
        text,
        "%d files of %d full groups, blocks of %d MiB, %d replicas; %d repetitions; medians,"
            + " +- half the range of the quartiles; CPU in seconds per GiB of files",
        report.files,
        report.groupsPerFile,
        report.blockBytes >> 20,
        report.replication,
        report.repetitions);
    text.append('\n').append(table().render()).append('\n');
    report.leftOut.forEach((name, reason) -> line(text, "left out %s: %s", name, reason));
    report.failures.forEach(failure -> line(text, "FAILED %s", failure));
    for (Judgement judgement : report.judgements) {
      line(
          text,
          "%-10s %s: %.2f (limit %s)",
          judgement.verdict,
          judgement.name,
          judgement.value,
          judgement.limit);
    }
    line(
        text,
        "%d MiB of converted files read back and compared byte for byte",
        report.bytesVerified >> 20);
    return text.toString();
  }

  private TextTable table() {
    TextTable table =
        new TextTable(
            "code",
            "way",
            "MiB/s",
            "+-",
            "seconds",
            "job",
            "client",
            "servers",
            "total CPU",
            "x copy",
            "sent",
            "cross MiB",
            "n");
    String last = "";
    for (ConvertReport.Row row : report.rows) {
      table.row(
          row.code.equals(last) ? "" : row.code,
          row.way,
          number("%.1f", row.mibPerSecond.median),
          number("%.1f", row.mibPerSecond.halfRange()),
          number("%.2f", row.seconds.median),
          median("%.2f", row.jobSeconds),
          number("%.2f", row.clientCpuSecondsPerGib.median),
          number("%.2f", row.serverCpuSecondsPerGib.median),
          number("%.2f", row.totalCpuSecondsPerGib.median),
          median("%.2f", row.timesCopy),
          median("%.0f", row.blocksSent),
          median("%.0f", row.crossRackMib),
          String.valueOf(row.samples));
      last = row.code;
    }
    return table;
  }

  private static String median(String format, Spread spread) {
    return spread == null ? "" : number(format, spread.median);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
