// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.stripeline.lab.bench.BenchText.median;
import static org.stripeline.lab.bench.BenchText.number;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stripeline.lab.bench.BenchText;
import org.stripeline.terminal.TextTable;

/** Formats a report as text. */
final class IoTable {
  private final IoReport report;

  IoTable(IoReport report) {
    this.report = report;
  }

  String render() {
    BenchText text = new BenchText();
    text.machine(report.hadoop, report.java, report.machine, report.coder);
    if (!report.rows.isEmpty()) {
      text.line(
          "%d MiB an operation, %d JVMs of %d repetitions; medians, +- half the range of the"
              + " quartiles; CPU in seconds per GiB; x rs_java within repetitions",
          report.bytes >> 20, report.jvms, report.repetitions);
    }
    if (report.clientMbit > 0) {
      text.line("all clients share a link of %d Mbit/s", report.clientMbit);
    }
    Map<String, List<IoReport.Row>> groups = new LinkedHashMap<>();
    for (IoReport.Row row : report.rows) {
      groups.computeIfAbsent(title(row), title -> new ArrayList<>()).add(row);
    }
    groups.forEach(
        (title, rows) -> {
          text.line("%n%s", title);
          throughput(text, rows);
          latency(text, rows);
        });
    accesses(text);
    text.line("");
    text.leftOut(report.leftOut);
    report.notes.forEach(note -> text.line("note: %s", note));
    text.judged(report.failures, report.judgements);
    if (report.accesses.isEmpty()) {
      text.line("%d MiB read back and compared byte for byte", report.bytesVerified >> 20);
    }
    return text.toString();
  }

  static String title(IoReport.Row row) {
    return row.policy
        + ", "
        + row.threads
        + (row.threads == 1 ? " thread" : " threads")
        + (row.linkMbit == IoSettings.LOOPBACK ? "" : ", links of " + row.linkMbit + " Mbit/s");
  }

  private static void throughput(BenchText text, List<IoReport.Row> rows) {
    TextTable table =
        new TextTable(
            "operation",
            "contestant",
            "MiB/s",
            "+-",
            "min",
            "max",
            "seconds",
            "client",
            "server",
            "total CPU",
            "x rs_java",
            "n");
    String last = "";
    for (String operation : operations(rows)) {
      for (IoReport.Row row : rows) {
        if (row.operation.equals(operation)) {
          table.row(
              operation.equals(last) ? "" : operation,
              row.contestant,
              number("%.0f", row.mibPerSecond.median),
              number("%.0f", row.mibPerSecond.halfRange()),
              number("%.0f", row.mibPerSecond.min),
              number("%.0f", row.mibPerSecond.max),
              number("%.2f", row.seconds.median),
              number("%.2f", row.clientCpuSecondsPerGib.median),
              median("%.2f", row.serverCpuSecondsPerGib),
              median("%.2f", row.totalCpuSecondsPerGib),
              median("%.2f", row.timesRsJava),
              String.valueOf(row.samples));
          last = operation;
        }
      }
    }
    text.append(table.render());
  }

  private static void latency(BenchText text, List<IoReport.Row> rows) {
    TextTable table = new TextTable("ms of one read or sync", "contestant", "mean", "p50", "p99");
    for (IoReport.Row row : rows) {
      if (row.latencyMean != null) {
        table.row(
            row.operation,
            row.contestant,
            number("%.3f", row.latencyMean.median / 1000),
            number("%.3f", row.latencyP50.median / 1000),
            number("%.3f", row.latencyP99.median / 1000));
      }
    }
    text.append(table.section());
  }

  private void accesses(BenchText text) {
    Map<String, TextTable> tables = new LinkedHashMap<>();
    for (AccessCount access : report.accesses) {
      String title =
          String.format(
              Locale.ROOT,
              "%s, %s: %d KiB, %d dead DataNodes",
              access.policy,
              access.file,
              access.fileBytes >> 10,
              access.dead);
      TextTable table =
          tables.computeIfAbsent(
              title,
              t ->
                  new TextTable(
                      "KiB that DataNodes read",
                      "stock",
                      "ours",
                      "ratio",
                      "",
                      "block reads",
                      "ours",
                      "connections",
                      "ours"));
      table.row(
          access.pattern,
          number("%.1f", access.stock.bytes / 1024.0),
          number("%.1f", access.ours.bytes / 1024.0),
          number("%.2f", access.ratio()),
          access.isKept() ? "" : "MORE",
          String.valueOf(access.stock.blockReads),
          String.valueOf(access.ours.blockReads),
          String.valueOf(access.stock.connections),
          String.valueOf(access.ours.connections));
    }
    if (!tables.isEmpty()) {
      text.line(
          "Bytes that DataNodes read and sent, checksums included; medians of %d runs; every"
              + " byte that was read was compared",
          report.repetitions);
    }
    tables.forEach((title, table) -> text.line("%n%s%n%s", title, table.render().trim()));
  }

  static List<String> operations(List<IoReport.Row> rows) {
    List<String> operations = new ArrayList<>();
    for (IoReport.Row row : rows) {
      if (!operations.contains(row.operation)) {
        operations.add(row.operation);
      }
    }
    return operations;
  }
}
