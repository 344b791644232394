// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.stripeline.terminal.Spread;

/**
 * Hadoop's programs on YARN: those of Yahoo! JAPAN's tests, TestDFSIO of the progress report and of
 * the paper on UMR-EC.
 */
final class ProgramSection implements Section {
  private static final String THROUGHPUT = "throughput";
  private static final String OURS = "functional-partitioned";
  private static final String REPLICATION = "3-rep";
  private static final String FOUR_REPLICAS = "4-rep";
  private static final String JAVA = "rs_java";
  private static final String ISAL = "isal";

  /** A run of a program. */
  private static final class Sample {
    String contestant;
    String operation;
    double seconds;
    Double mibPerSecond;
    long cpuMillis;
    long mapMillis;
    long reduceMillis;
  }

  @Override
  public String name() {
    return "programs";
  }

  @Override
  public String title() {
    return "Hadoop's programs on YARN";
  }

  @Override
  public String document() {
    return "Fukudome: HDFS Erasure Coding in Action, Yahoo! JAPAN, 2016; "
        + ClientSection.PROGRESS_REPORT
        + "; "
        + EngineSection.UMR_EC;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    String arguments =
        size.choose(
            "functional-partitioned dfsio,distcp 1 8 20000 1",
            // With a third contestant, or Sort, a quick evaluation would exceed its 20 minutes.
            "3-rep,functional-partitioned dfsio,tera,distcp 2 64 300000 1",
            "3-rep,4-rep,rs_java,isal,coder,functional-partitioned tera,distcp,sort 1 1 2000000 1");
    List<Measurement> all = new ArrayList<>();
    all.add(
        Measurement.script(
            THROUGHPUT,
            size.choose(30, 40, 260),
            "scripts/application.sh throughput "
                + size.choose(
                    "3-rep,functional-partitioned 1 32 1",
                    "3-rep,rs_java,functional-partitioned 2 96 1",
                    "3-rep,rs_java,isal,coder,blocking,non-blocking,functional-partitioned 4 256"
                        + " 2")));
    all.add(
        Measurement.script(
            "programs",
            size.choose(90, 235, 600),
            "scripts/application.sh mapreduce " + arguments));
    if (size == Size.FULL) {
      all.add(
          Measurement.script(
              "programs-dfsio",
              620,
              "scripts/application.sh mapreduce"
                  + " 3-rep,4-rep,rs_java,isal,coder,blocking,non-blocking,functional-partitioned"
                  + " dfsio 4 128 20000 1"));
    }
    return all;
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    Map<String, List<Sample>> runs = new LinkedHashMap<>();
    for (Sample sample : Section.rows(result, "samples", Sample.class)) {
      String key = sample.operation + " " + sample.contestant;
      runs.computeIfAbsent(key, any -> new ArrayList<>()).add(sample);
    }
    if (measurement.name.equals(THROUGHPUT)) {
      clients(runs, measurement, section);
      return;
    }
    if (runs.keySet().stream().anyMatch(key -> key.startsWith("dfsio"))) {
      throughput(runs, measurement, section);
    }
    if (runs.keySet().stream().anyMatch(key -> !key.startsWith("dfsio"))) {
      times(runs, measurement, section);
    }
  }

  private static void clients(
      Map<String, List<Sample>> runs, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "ErasureCodeBenchmarkThroughput of Yahoo! JAPAN",
            "The document's clients reached 111 MB/s at most, whatever they did, in a network of 10"
                + " Gbit/s; here nothing limits clients but the processors, and the DataNode that"
                + " fails has a data unit. Cells have 1 MiB here, 64 KiB there.",
            measurement);
    Function<Sample, Double> rate = sample -> sample.mibPerSecond;
    draw(figure.panel("clients", "MiB/s", null), runs, rate);
    String[][] coded = {{"write", "0.66"}, {"read-stateful", "1"}, {"read-positional", "0.97"}};
    String[][] lost = {{"read-stateful", "0.98"}, {"read-positional", "0.86"}};
    for (String contestant : new String[] {JAVA, ISAL, "coder", "blocking", "non-blocking", OURS}) {
      for (String[] row : coded) {
        figure.compareRatio(
            row[0] + ", " + contestant + " over 3 replicas",
            contestant.equals(JAVA) ? row[1] : "-",
            median(runs, row[0], contestant, rate),
            median(runs, row[0], REPLICATION, rate));
      }
      for (String[] row : lost) {
        figure.compareRatio(
            row[0] + ", " + contestant + " without a DataNode over with all",
            contestant.equals(JAVA) ? row[1] : "-",
            median(runs, row[0] + "-dead1", contestant, rate),
            median(runs, row[0], contestant, rate));
      }
    }
  }

  private static void throughput(
      Map<String, List<Sample>> runs, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "TestDFSIO: progress report, figures 8 to 10; UMR-EC, figure 10 and section 5.3.3",
            "The bytes of all tasks by the sum of their times. The documents had many machines;"
                + " here tasks, DataNodes and YARN share the processors. Cells have 1 MiB here, 64"
                + " KiB there.",
            measurement);
    EvaluationReport.Panel panel = figure.panel("TestDFSIO", "MiB/s", null);
    draw(panel, runs, sample -> sample.mibPerSecond);
    Function<Sample, Double> rate = sample -> sample.mibPerSecond;
    String[][] ratios = {
      {"dfsio-write", ISAL, REPLICATION, "more than 1"},
      {"dfsio-read", ISAL, REPLICATION, "less than 1 (few tasks)"},
      {"dfsio-write", OURS, REPLICATION, "-"},
      {"dfsio-read", OURS, REPLICATION, "-"},
      {"dfsio-write", "non-blocking", FOUR_REPLICAS, "up to 3.7"},
      {"dfsio-write", "non-blocking", JAVA, "up to 2.4"},
      {"dfsio-write", "non-blocking", "blocking", "-"},
      {"dfsio-write", OURS, FOUR_REPLICAS, "up to 6.1"},
      {"dfsio-write", OURS, JAVA, "up to 3.3"},
      {"dfsio-write", OURS, ISAL, "up to 1.52 (one device), 1.66"},
      {"dfsio-read-dead1", OURS, FOUR_REPLICAS, "up to 2.4"},
      {"dfsio-read-dead2", OURS, FOUR_REPLICAS, "up to 2.3"},
      {"dfsio-read-dead3", OURS, FOUR_REPLICAS, "up to 2.6"},
      {"dfsio-read-dead1", OURS, JAVA, "up to 2.8"},
      {"dfsio-read-dead2", OURS, JAVA, "up to 3.9"},
      {"dfsio-read-dead3", OURS, JAVA, "up to 5.1"},
      {"dfsio-read-dead1", OURS, ISAL, "up to 1.18"},
      {"dfsio-read-dead2", OURS, ISAL, "up to 1.14"},
      {"dfsio-read-dead3", OURS, ISAL, "up to 1.19"},
    };
    for (String[] row : ratios) {
      figure.compareRatio(
          row[0] + ", " + row[1] + " over " + row[2],
          row[3],
          median(runs, row[0], row[1], rate),
          median(runs, row[0], row[2], rate));
    }
  }

  private static void times(
      Map<String, List<Sample>> runs, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "TeraGen, TeraSort, RandomWriter, Sort, and distcp of replicated files; UMR-EC, figure"
                + " 11",
            "Each job starts JVMs, which takes seconds and hides differences if there is little"
                + " data. Yahoo! JAPAN's text on TeraGen and TeraSort says only that these times"
                + " grew with erasure coding. The time of reduces is the sum of those that they"
                + " ran.",
            measurement);
    draw(figure.panel("elapsed", "s", null), runs, sample -> unrated(sample, sample.seconds));
    draw(
        figure.panel("CPU time of tasks", "s", null),
        runs,
        sample -> unrated(sample, sample.cpuMillis / 1e3));
    draw(
        figure.panel("time of maps", "s", null),
        runs,
        sample -> unrated(sample, sample.mapMillis / 1e3));
    draw(
        figure.panel("time of reduces", "s", null),
        runs,
        sample -> unrated(sample, sample.reduceMillis / 1e3));
    String[][] others = {
      {REPLICATION, "-"}, {FOUR_REPLICAS, "down to 0.27"}, {JAVA, "down to 0.48"}
    };
    for (String[] other : others) {
      figure.compareRatio(
          "sort, elapsed, our pipeline over " + other[0],
          other[1],
          median(runs, "sort", OURS, sample -> sample.seconds),
          median(runs, "sort", other[0], sample -> sample.seconds));
    }
    for (String contestant : new String[] {JAVA, ISAL, "coder", OURS}) {
      boolean isStock = contestant.equals(JAVA);
      figure.compareRatio(
          "teragen, CPU time, " + contestant + " over 3 replicas",
          isStock ? "more than 1" : "-",
          median(runs, "teragen", contestant, sample -> sample.cpuMillis / 1e3),
          median(runs, "teragen", REPLICATION, sample -> sample.cpuMillis / 1e3));
      figure.compareRatio(
          "terasort, time of reduces, " + contestant + " over 3 replicas",
          isStock ? "significantly more than 1" : "-",
          median(runs, "terasort", contestant, sample -> sample.reduceMillis / 1e3),
          median(runs, "terasort", REPLICATION, sample -> sample.reduceMillis / 1e3));
      figure.compareRatio(
          "distcp, elapsed, " + contestant + " over 3 replicas",
          isStock ? "3.4" : "-",
          median(runs, "distcp", contestant, sample -> sample.seconds),
          median(runs, "distcp", REPLICATION, sample -> sample.seconds));
      figure.compareRatio(
          "distcp, CPU time, " + contestant + " over 3 replicas",
          isStock ? "3.2" : "-",
          median(runs, "distcp", contestant, sample -> sample.cpuMillis / 1e3),
          median(runs, "distcp", REPLICATION, sample -> sample.cpuMillis / 1e3));
    }
  }

  /** Returns the value for programs without a rate of their own. */
  private static Double unrated(Sample sample, double value) {
    return sample.mibPerSecond == null ? value : null;
  }

  private static void draw(
      EvaluationReport.Panel panel,
      Map<String, List<Sample>> runs,
      Function<Sample, Double> value) {
    for (List<Sample> samples : runs.values()) {
      Sample first = samples.get(0);
      if (value.apply(first) != null) {
        panel.bar(first.contestant, first.operation, Spread.of(samples, value::apply), null);
      }
    }
  }

  private static Double median(
      Map<String, List<Sample>> runs,
      String operation,
      String contestant,
      Function<Sample, Double> value) {
    List<Sample> samples = runs.get(operation + " " + contestant);
    return samples == null ? null : Spread.of(samples, value::apply).median;
  }
}
