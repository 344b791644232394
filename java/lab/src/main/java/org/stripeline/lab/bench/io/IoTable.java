// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stripeline.lab.bench.Judgement;
import org.stripeline.terminal.TextTable;

/** Formats a report as text. */
final class IoTable {
  private final IoReport report;

  IoTable(IoReport report) {
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
    if (!report.rows.isEmpty()) {
      line(
          text,
          "%d MiB an operation, %d JVMs of %d repetitions; medians, +- half the range of the"
              + " quartiles; CPU in seconds per GiB; x rs_java within repetitions",
          report.bytes >> 20,
          report.jvms,
          report.repetitions);
    }
    Map<String, List<IoReport.Row>> groups = new LinkedHashMap<>();
    for (IoReport.Row row : report.rows) {
      groups.computeIfAbsent(title(row), title -> new ArrayList<>()).add(row);
    }
    groups.forEach(
        (title, rows) -> {
          line(text, "%n%s", title);
          throughput(text, rows);
          latency(text, rows);
        });
    accesses(text);
    text.append('\n');
    report.leftOut.forEach((name, reason) -> line(text, "left out %s: %s", name, reason));
    report.notes.forEach(note -> line(text, "note: %s", note));
    report.failures.forEach(failure -> line(text, "FAILED %s", failure));
    int unmeasured = 0;
    for (Judgement judgement : report.judgements) {
      if (judgement.value == null) {
        unmeasured++;
      } else {
        line(
            text,
            "%-10s %s: %.2f (limit %s)",
            judgement.verdict,
            judgement.name,
            judgement.value,
            judgement.limit);
      }
    }
    if (unmeasured > 0) {
      line(text, "%d thresholds not judged: their figures were not measured", unmeasured);
    }
    if (report.accesses.isEmpty()) {
      line(text, "%d MiB read back and compared byte for byte", report.bytesVerified >> 20);
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

  private static void throughput(StringBuilder text, List<IoReport.Row> rows) {
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
              number("%.2f", row.serverCpuSecondsPerGib.median),
              number("%.2f", row.totalCpuSecondsPerGib.median),
              row.timesRsJava == null ? "" : number("%.2f", row.timesRsJava.median),
              String.valueOf(row.samples));
          last = operation;
        }
      }
    }
    text.append(table.render());
  }

  private static void latency(StringBuilder text, List<IoReport.Row> rows) {
    TextTable table = new TextTable("ms of one read", "contestant", "mean", "p50", "p99");
    boolean any = false;
    for (IoReport.Row row : rows) {
      if (row.latencyMean != null) {
        any = true;
        table.row(
            row.operation,
            row.contestant,
            number("%.3f", row.latencyMean.median / 1000),
            number("%.3f", row.latencyP50.median / 1000),
            number("%.3f", row.latencyP99.median / 1000));
      }
    }
    if (any) {
      text.append('\n').append(table.render());
    }
  }

  private void accesses(StringBuilder text) {
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
      line(
          text,
          "Bytes that DataNodes read and sent, checksums included; medians of %d runs; every"
              + " byte that was read was compared",
          report.repetitions);
    }
    tables.forEach((title, table) -> line(text, "%n%s%n%s", title, table.render().trim()));
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

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private static void line(StringBuilder text, String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
