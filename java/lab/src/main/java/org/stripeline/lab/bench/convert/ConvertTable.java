// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import static org.stripeline.lab.bench.BenchText.median;
import static org.stripeline.lab.bench.BenchText.number;

import java.util.stream.Collectors;
import org.stripeline.lab.bench.BenchText;
import org.stripeline.terminal.Spread;
import org.stripeline.terminal.TextTable;

/** Formats a report as text. */
final class ConvertTable {
  private final ConvertReport report;

  ConvertTable(ConvertReport report) {
    this.report = report;
  }

  String render() {
    BenchText text = new BenchText();
    text.machine(report.hadoop, report.java, report.machine, report.coder);
    text.line(
        "%d DataNodes in %d racks, %s",
        report.datanodes,
        report.racks,
        report.linkMbit == 0
            ? "on the loopback"
            : "links of " + report.linkMbit + " Mbit/s, " + report.rackMbit + " between racks");
    text.line(
        "%d files of %d full groups, blocks of %d MiB, %d replicas; %d repetitions; medians,"
            + " +- half the range of the quartiles; CPU in seconds per GiB of files",
        report.files,
        report.groupsPerFile,
        report.blockBytes >> 20,
        report.replication,
        report.repetitions);
    if (report.trafficMbit > 0) {
      text.line(
          "%d Mbit/s from one DataNode of each pair to the other; sent: %s",
          report.trafficMbit,
          report.rows.stream()
              .map(row -> row.method + " " + median("%.0f", row.trafficMbit))
              .collect(Collectors.joining(", ")));
    }
    text.line("%n%s", table().render());
    if (report.rows.stream().anyMatch(row -> row.method.startsWith(RaidNode.NAME))) {
      text.line(
          "%nhdfs-raid, hdfs-raid-ear: the blocks sent are those that would have to be moved to"
              + " spread each group evenly over the racks; both place parity at random and let HDFS"
              + " choose which replicas stay");
    }
    if (report.writesPerSecond > 0) {
      text.line(
          "%n%.2f writes of a block per second, from %.0f s before each conversion; seconds of a"
              + " write%n%s",
          report.writesPerSecond, report.writesBeforeSeconds, writes().render());
    }
    text.leftOut(report.leftOut);
    text.judged(report.failures, report.judgements);
    text.line(
        "%d MiB of converted files read back and compared byte for byte",
        report.bytesVerified >> 20);
    return text.toString();
  }

  private TextTable writes() {
    TextTable table = new TextTable("code", "method", "before", "during", "slowest");
    for (ConvertReport.Row row : report.rows) {
      Spread during = row.writeSecondsDuring;
      table.row(
          row.code,
          row.method,
          median("%.2f", row.writeSecondsBefore),
          median("%.2f", during),
          during == null ? "" : number("%.2f", during.max));
    }
    return table;
  }

  private TextTable table() {
    TextTable table =
        new TextTable(
            "code",
            "method",
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
          row.method,
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
}
