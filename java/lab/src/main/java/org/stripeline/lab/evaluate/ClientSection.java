// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
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
        size.choose(90, 420, 3 * 3600),
        size.choose(
            "bench io --contestants=3-rep,rs_java,noop,"
                + OURS
                + " --operations=write,read-dead2 --quick",
            all + " --size=192MiB --jvms=1 --repetitions=3 --threads=1,5",
            all + " --size=768MiB --jvms=5 --repetitions=3 --threads=1,5,10,20"));
  }

  /** Returns the median throughput of writes by one thread in MiB/s, by contestant. */
  static Map<String, Double> writes(JsonObject result) {
    Map<String, Double> writes = new HashMap<>();
    for (Row row : rows(result)) {
      if (row.threads == 1 && row.operation.equals("write")) {
        writes.put(row.contestant, row.mibPerSecond.median);
      }
    }
    return writes;
  }

  private static List<Row> rows(JsonObject result) {
    List<Row> rows = new ArrayList<>();
    for (JsonElement row : result.getAsJsonArray("rows")) {
      rows.add(new Gson().fromJson(row, Row.class));
    }
    return rows;
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    List<Row> rows = rows(result);
    EvaluationReport.Figure figure =
        section.figure(
            "Progress report, figures 3 to 7, and UMR-EC, figures 10 and 12: throughput of clients",
            "The documents' clients had a network of 10 to 100 Gbit/s to themselves; here client"
                + " and DataNodes share the processors, so that replication, which computes"
                + " nothing, loses less, and a fast coder gains less.",
            measurement);
    for (Row row : rows) {
      panel(figure, row).bar(row.contestant, row.operation, row.mibPerSecond, null);
    }
    for (int threads : rows.stream().mapToInt(row -> row.threads).distinct().toArray()) {
      compare(figure, rows, threads);
    }
  }

  private static EvaluationReport.Panel panel(EvaluationReport.Figure figure, Row row) {
    String title = row.policy + ", threads: " + row.threads;
    for (EvaluationReport.Panel panel : figure.panels) {
      if (panel.title.equals(title)) {
        return panel;
      }
    }
    return figure.panel(title, "MiB/s", null);
  }

  private static void compare(EvaluationReport.Figure figure, List<Row> rows, int threads) {
    String with = ", threads: " + threads;
    figure.compare(
        "write, isal over 3 replicas" + with,
        "over 1.75 (1 client)",
        ratio(rows, threads, "write", "isal", "write", "3-rep"),
        "x");
    figure.compare(
        "write, our pipeline over 3 replicas" + with,
        "-",
        ratio(rows, threads, "write", OURS, "write", "3-rep"),
        "x");
    figure.compare(
        "read, erasure coding over 3 replicas" + with,
        "1.9 to 4.2 (1 client)",
        ratio(rows, threads, "read", "coder", "read", "3-rep"),
        "x");
    String[][] losses = {
      {"rs-legacy_java", "-85 (HDFS-RAID)"}, {"rs_java", "-62"}, {"isal", "-25"}, {OURS, "-"}
    };
    for (String[] loss : losses) {
      Double kept = ratio(rows, threads, "read-dead2", loss[0], "read", loss[0]);
      figure.compare(
          "read with 2 dead DataNodes against none, " + loss[0] + with,
          loss[1],
          kept == null ? null : 100 * (kept - 1),
          "%");
    }
    figure.compare(
        "write, partitioned pipeline over 4 replicas" + with,
        "up to 6.1",
        ratio(rows, threads, "write", OURS, "write", "4-rep"),
        "x");
    figure.compare(
        "write, partitioned pipeline over rs_java" + with,
        "up to 3.3",
        ratio(rows, threads, "write", OURS, "write", "rs_java"),
        "x");
    figure.compare(
        "write, partitioned pipeline over isal" + with,
        "up to 1.66",
        ratio(rows, threads, "write", OURS, "write", "isal"),
        "x");
    String[] published = {"up to 2.8", "up to 3.9", "up to 5.1"};
    for (int dead = 1; dead <= published.length; dead++) {
      String operation = "read-dead" + dead;
      figure.compare(
          operation + ", our pipeline over rs_java" + with,
          published[dead - 1],
          ratio(rows, threads, operation, OURS, operation, "rs_java"),
          "x");
    }
  }

  /** Returns the ratio of two medians, null if one was not measured. */
  private static Double ratio(
      List<Row> rows,
      int threads,
      String operation,
      String contestant,
      String otherOperation,
      String other) {
    Double rate = median(rows, threads, operation, contestant);
    Double than = median(rows, threads, otherOperation, other);
    return rate == null || than == null ? null : rate / than;
  }

  private static Double median(List<Row> rows, int threads, String operation, String contestant) {
    for (Row row : rows) {
      if (row.threads == threads
          && row.operation.equals(operation)
          && row.contestant.equals(contestant)) {
        return row.mibPerSecond.median;
      }
    }
    return null;
  }
}
