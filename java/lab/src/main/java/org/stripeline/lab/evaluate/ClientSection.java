// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.terminal.Spread;

/**
 * Writes and reads by coder and pipeline: figures 3 to 7 of the progress report, and figures 10 and
 * 12 of the paper on UMR-EC, whose workload is the same.
 */
final class ClientSection implements Section {
  static final String PROGRESS_REPORT =
      "Li, Zhang, Zheng, Wang: Progress Report: Bringing Erasure Coding to Apache Hadoop, 2016";

  private static final String OURS = "functional-partitioned";

  /** A row of {@code bench io}. */
  private static final class Row {
    String policy;
    int threads;
    String operation;
    String contestant;
    Spread mibPerSecond;
  }

  @Override
  public String name() {
    return "clients";
  }

  @Override
  public String title() {
    return "HDFS clients by coder and pipeline";
  }

  @Override
  public String document() {
    return PROGRESS_REPORT + "; " + EngineSection.UMR_EC;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    return Collections.singletonList(measurement(size));
  }

  /** Returns the measurement, which other sections share. */
  static Measurement measurement(Size size) {
    String all =
        "bench io --contestants="
            + "3-rep,4-rep,rs-legacy_java,rs_java,isal,noop,coder,blocking,non-blocking,umr-noop,"
            + OURS
            + " --operations=write,read,read-dead1,read-dead2,read-dead3";
    return Measurement.of(
        "clients",
        size.choose(30, 200, 3 * 3600),
        size.choose(
            "bench io --contestants=3-rep,rs_java,noop,"
                + OURS
                + " --operations=write,read-dead2 --quick",
            all + " --size=192MiB --jvms=1 --repetitions=2 --threads=1",
            all + " --size=768MiB --jvms=5 --repetitions=3 --threads=1,5,10,20"));
  }

  /** Returns the median throughput of writes by one thread in MiB/s, by contestant. */
  static Map<String, Double> writes(JsonObject result) {
    Map<String, Double> writes = new HashMap<>();
    for (Row row : Section.rows(result, "rows", Row.class)) {
      if (row.threads == 1 && row.operation.equals("write")) {
        writes.put(row.contestant, row.mibPerSecond.median);
      }
    }
    return writes;
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    List<Row> rows = Section.rows(result, "rows", Row.class);
    EvaluationReport.Figure figure =
        section.figure(
            "Progress report, figures 3 to 7, and UMR-EC, figures 10 and 12: throughput of clients",
            "The documents' clients had a network of 10 to 100 Gbit/s to themselves; here client"
                + " and DataNodes share the processors, so that replication, which computes"
                + " nothing, loses less, and a fast coder gains less.",
            measurement);
    for (Row row : rows) {
      figure
          .panel(row.policy + ", threads: " + row.threads, "MiB/s", null)
          .bar(row.contestant, row.operation, row.mibPerSecond, null);
    }
    for (int threads : rows.stream().mapToInt(row -> row.threads).distinct().toArray()) {
      compare(figure, rows, threads);
    }
  }

  private static void compare(EvaluationReport.Figure figure, List<Row> rows, int threads) {
    String with = ", threads: " + threads;
    String[][] ratios = {
      {"write", "isal", "3-rep", "over 1.75 (1 client)"},
      {"write", OURS, "3-rep", "-"},
      {"read", "coder", "3-rep", "1.9 to 4.2 (1 client)"},
      {"write", OURS, "4-rep", "up to 6.1"},
      {"write", OURS, "rs_java", "up to 3.3"},
      {"write", OURS, "isal", "up to 1.66"},
      {"read-dead1", OURS, "rs_java", "up to 2.8"},
      {"read-dead2", OURS, "rs_java", "up to 3.9"},
      {"read-dead3", OURS, "rs_java", "up to 5.1"},
    };
    for (String[] row : ratios) {
      figure.compareRatio(
          row[0] + ", " + row[1] + " over " + row[2] + with,
          row[3],
          median(rows, threads, row[0], row[1]),
          median(rows, threads, row[0], row[2]));
    }
    String[][] losses = {
      {"rs-legacy_java", "-85 (HDFS-RAID)"}, {"rs_java", "-62"}, {"isal", "-25"}, {OURS, "-"}
    };
    for (String[] row : losses) {
      figure.compareChange(
          "read with 2 dead DataNodes against none, " + row[0] + with,
          row[1],
          median(rows, threads, "read-dead2", row[0]),
          median(rows, threads, "read", row[0]));
    }
  }

  private static Double median(List<Row> rows, int threads, String operation, String contestant) {
    return Section.median(
        rows,
        row ->
            row.threads == threads
                && row.operation.equals(operation)
                && row.contestant.equals(contestant),
        row -> row.mibPerSecond.median);
  }
}
