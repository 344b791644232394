// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.stripeline.terminal.TextTable;

/** What {@code stripeline bench hdfs} measured; the field names are those of the JSON output. */
final class HdfsBenchReport {

  String policy;
  int datanodes;
  String hadoopVersion;
  String javaVersion;
  int processors;
  String coderStatus;
  long bytes;
  String note =
      "client and servers share one machine: compare figures of one run with each other only";

  final List<Row> rows = new ArrayList<>();
  /** Throughput of our coder by that of a coder that codes nothing; null if that is not there. */
  Double writeToNoOp;

  double writeToRsJava;
  double degradedToHealthyRead;

  /** Medians of one step with one coder. */
  static final class Row {
    String step;
    String coder;
    int rounds;
    double mibPerSecond;
    double slowestMibPerSecond;
    double fastestMibPerSecond;
    double clientCpuSecondsPerGib;
    double serverCpuSecondsPerGib;
  }

  void add(String step, String coder, Figures figures) {
    Row row = new Row();
    row.step = step;
    row.coder = coder;
    row.rounds = figures.count();
    row.mibPerSecond = figures.mibPerSecond();
    row.slowestMibPerSecond = figures.spread()[0];
    row.fastestMibPerSecond = figures.spread()[1];
    row.clientCpuSecondsPerGib = figures.clientCpuSecondsPerGib();
    row.serverCpuSecondsPerGib = figures.serverCpuSecondsPerGib();
    rows.add(row);
  }

  /** The report for a person. */
  String render() {
    TextTable table =
        new TextTable(
            "step", "coder", "MiB/s", "slowest", "fastest", "client CPU s/GiB", "server CPU s/GiB");
    for (Row row : rows) {
      table.row(
          row.step,
          row.coder,
          number("%.1f", row.mibPerSecond),
          number("%.1f", row.slowestMibPerSecond),
          number("%.1f", row.fastestMibPerSecond),
          number("%.2f", row.clientCpuSecondsPerGib),
          number("%.2f", row.serverCpuSecondsPerGib));
    }
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%s on %d DataNodes, Hadoop %s, Java %s, %d processors; %d MiB, medians of %d rounds%n",
            policy, datanodes, hadoopVersion, javaVersion, processors, bytes >> 20,
            rows.isEmpty() ? 0 : rows.get(0).rounds));
    text.append("stripeline: ").append(coderStatus).append("\n\n");
    text.append(table.render()).append('\n');
    text.append(
        writeToNoOp == null
            ? "write, ours to no-op        not measured: the coder is on the class path of a"
                + " working copy with STRIPELINE_CLASSPATH=java/lab/target/test-classes\n"
            : String.format(Locale.ROOT, "write, ours to no-op        %.3f%n", writeToNoOp));
    text.append(String.format(Locale.ROOT, "write, ours to rs_java      %.3f%n", writeToRsJava));
    text.append(
        String.format(Locale.ROOT, "read, degraded to healthy   %.3f%n", degradedToHealthyRead));
    return text.append(note).append('\n').toString();
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
