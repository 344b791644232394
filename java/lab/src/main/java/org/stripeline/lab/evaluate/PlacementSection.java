// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.stripeline.terminal.Spread;

/** Encoding-aware replication, simulated and on clusters: section V of its paper. */
final class PlacementSection implements Section {
  private static final String CONVERSION = "placement-conversion";
  private static final String COPIES = "placement-copies";
  private static final String WRITES = "placement-writes";
  private static final String JOBS = "placement-jobs";

  /** Followed by the rate in percent of a link's. */
  private static final String TRAFFIC = "placement-traffic-";

  /** With the rate of the paper's links. */
  private static final String SWITCH = switched(1000);

  /**
   * The rate of links beside injected traffic, in Mbit/s. The processors of a small machine can
   * neither send nor encode at 1 Gbit/s on twelve links, so that the links would not be the limit.
   */
  private static final int SLOW_MBIT = 200;

  /** What is drawn for scenarios that only place replicas, by scenario. */
  private static final Map<String, String> SHARES = new HashMap<>();

  static {
    SHARES.put("balance", "rack_share_most_percent");
    SHARES.put("read-balance", "read_share_most_percent");
  }

  private static final String ADOPT = "adopt";
  private static final String ADOPT_EAR = "adopt-ear";
  private static final String HDFS_RAID = "hdfs-raid";
  private static final String HDFS_RAID_EAR = "hdfs-raid-ear";
  private static final String DISTCP = "distcp";

  /** A report of {@code simulate}. */
  private static final class Simulated {
    String scenario;
    String title;
    String about;
    List<Variant> variants;
  }

  private static final class Variant {
    String label;
    List<Outcome> results;
    List<Compared> comparisons;
  }

  private static final class Outcome {
    String policy;
    Spread encodeMbPerSecondSpread;
  }

  private static final class Compared {
    String policy;
    String figure;
    Spread spread;
    double ours;
    Double paper;
  }

  /** A row of {@code bench convert}. */
  private static final class Row {
    String code;
    String method;
    Spread seconds;
    Spread jobSeconds;
    Spread mibPerSecond;
    Spread totalCpuSecondsPerGib;
    Spread crossRackMib;
    Spread writeSecondsBefore;
    Spread writeSecondsDuring;
  }

  /** A sample of {@code bench convert}: one conversion. */
  private static final class Conversion {
    String code;
    String method;
    int repetition;
    double[] writeSecondsBefore;
    double[] writeSecondsDuring;
    double[] writeBegins;
  }

  /** A sample of {@code application.sh replay}: when a job was complete. */
  private static final class End {
    String placement;
    int repetition;
    double seconds;
  }

  @Override
  public String name() {
    return "placement";
  }

  @Override
  public String title() {
    return "Encoding-aware replication, and conversion in place";
  }

  @Override
  public String document() {
    return "Li, Hu, Lee: Enabling Efficient and Reliable Transition from Replication to Erasure"
        + " Coding for Clustered File Systems, DSN 2015, and its extended version in a journal"
        + " for the simulations";
  }

  @Override
  public List<Measurement> measurements(Size size) {
    List<Measurement> all = new ArrayList<>();
    all.add(
        Measurement.compared(
            "placement-simulated",
            size.choose(3, 20, 20),
            "simulate a1-code a1-traffic a2-writes"
                + size.choose(
                    "",
                    " balance read-balance",
                    " simulation balance read-balance vary-k vary-m vary-links vary-writes"
                        + " vary-background vary-racks-lost")));
    all.add(
        Measurement.of(
            CONVERSION,
            size.choose(25, 150, 870),
            size.choose(
                "bench convert --quick",
                SWITCH
                    + " --replication=2 --methods=adopt,adopt-ear,cp-4 --codes=RS-8-2 --files=2"
                    + " --block-size=16MiB --repetitions=1",
                SWITCH
                    + " --replication=2 --methods=adopt,adopt-ear,hdfs-raid,hdfs-raid-ear"
                    + " --codes=RS-4-2,RS-6-2,RS-8-2,RS-10-2 --files=2 --repetitions=2")));
    if (size == Size.FULL) {
      all.add(
          Measurement.of(
              COPIES,
              90,
              SWITCH
                  + " --replication=2 --methods=adopt,cp-4,distcp --codes=RS-6-2 --files=2"
                  + " --repetitions=1"));
      all.add(Measurement.script(JOBS, 530, "scripts/application.sh replay 100 50 2 1"));
      all.add(
          Measurement.of(
              WRITES,
              310,
              SWITCH
                  + " --replication=2 --methods=adopt,adopt-ear --codes=RS-8-2 --files=6"
                  + " --writes=1 --writes-before=10 --repetitions=2"));
      for (int percent : new int[] {0, 50, 80}) {
        all.add(
            Measurement.of(
                TRAFFIC + percent,
                220,
                switched(SLOW_MBIT)
                    + " --replication=2 --methods=adopt,adopt-ear,hdfs-raid,hdfs-raid-ear"
                    + " --codes=RS-8-2 --files=2 --repetitions=1 --traffic="
                    + SLOW_MBIT * percent / 100));
      }
    }
    return all;
  }

  /** Each DataNode is its own rack, and all are at one switch, as in the paper. */
  private static String switched(int mbit) {
    return "bench convert --shaped=" + mbit + " --shaped-racks=" + mbit + " --racks=12";
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    if (measurement.name.equals(CONVERSION) || measurement.name.equals(COPIES)) {
      converted(measurement, result, section);
      return;
    }
    if (measurement.name.equals(JOBS)) {
      jobs(measurement, result, section);
      return;
    }
    if (measurement.name.equals(WRITES)) {
      writes(measurement, result, section);
      return;
    }
    if (measurement.name.startsWith(TRAFFIC)) {
      traffic(measurement, result, section);
      return;
    }
    for (Simulated simulated : Section.rows(result, "reports", Simulated.class)) {
      simulated(measurement, simulated, section);
    }
  }

  private static void simulated(
      Measurement measurement, Simulated simulated, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            simulated.title,
            simulated.about
                + " Simulated with the constants of the paper and of its simulator; some that"
                + " neither has, and the model of the network, are assumed, which explains"
                + " differences.",
            measurement);
    String drawn = SHARES.get(simulated.scenario);
    for (Variant variant : simulated.variants) {
      for (Outcome outcome : variant.results) {
        if (outcome.encodeMbPerSecondSpread != null && drawn == null) {
          figure
              .panel("encoding, simulated", "MB/s", null)
              .bar(outcome.policy, variant.label, outcome.encodeMbPerSecondSpread, null);
        }
      }
      for (Compared compared : variant.comparisons) {
        if (compared.figure.equals(drawn)) {
          figure
              .panel("share of the rack with most, simulated", "%", null)
              .bar(compared.policy, variant.label, compared.spread, null);
        }
        if (compared.paper != null) {
          figure.compare(
              variant.label + ", " + compared.policy + ": " + compared.figure.replace('_', ' '),
              String.format(Locale.ROOT, "%.1f", compared.paper),
              compared.ours,
              compared.figure.endsWith("percent") ? "%" : "");
        }
      }
    }
  }

  private static void converted(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Experiment A.1 on a cluster: replicas become erasure-coded",
            "The paper's HDFS-RAID reads all data blocks in MapReduce tasks to encode them;"
                + " hdfs-raid, in the full form, does the same with processes on the hosts of"
                + " DataNodes and Hadoop's Java coder, without moving blocks afterwards, and"
                + " hdfs-raid-ear in the rack that has all blocks of a stripe. Both place parity at"
                + " random and let HDFS choose which replicas stay. Gains are those of the time"
                + " without the start of processes, which takes longer here than to encode a few"
                + " stripes; the paper's times include it. Conversion"
                + " in place (adopt, and adopt-ear for files that were placed for it) encodes in"
                + " DataNodes, and links replicas that already lie on different nodes. cp and"
                + " distcp (Yahoo! JAPAN's way) copy into an erasure-coded directory. The paper"
                + " encoded 96 stripes of blocks of 64 MiB, on 13 machines with a disk each; here"
                + " there are two stripes of smaller blocks in memory.",
            measurement);
    List<Row> rows = Section.rows(result, "rows", Row.class);
    EvaluationReport.Panel panel = figure.panel("conversion, measured", "MiB/s", null);
    for (Row row : rows) {
      // Another measurement has drawn what copies are compared with.
      if (measurement.name.equals(COPIES) && row.method.equals(ADOPT)) {
        continue;
      }
      panel.bar(row.method, row.code, row.mibPerSecond, null);
      if (row.jobSeconds != null) {
        figure
            .panel("time without the start of processes", "s", null)
            .bar(row.method, row.code, row.jobSeconds, null);
      }
      if (row.crossRackMib != null) {
        figure
            .panel("data between racks", "MiB", null)
            .bar(row.method, row.code, row.crossRackMib, null);
      }
      if (row.method.equals(DISTCP)) {
        String over =
            row.code + ", conversion in place over distcp into an erasure-coded directory";
        figure.compareRatio(
            over + ", elapsed",
            "-",
            median(rows, row.code, ADOPT, other -> other.seconds),
            row.seconds.median);
        figure.compareRatio(
            over + ", CPU time",
            "-",
            median(rows, row.code, ADOPT, other -> other.totalCpuSecondsPerGib),
            row.totalCpuSecondsPerGib.median);
      }
      if (row.method.equals(HDFS_RAID)) {
        figure.compareRatio(
            row.code
                + ", throughput of conversion in place over HDFS-RAID's, without the start of"
                + " processes",
            "-",
            row.jobSeconds.median,
            median(rows, row.code, ADOPT, other -> other.jobSeconds));
      }
    }
    String[] codes = {"RS-4-2", "RS-6-2", "RS-8-2", "RS-10-2"};
    String[] published = {"19.9", "-", "57.5", "59.7"};
    for (int i = 0; i < codes.length; i++) {
      compareGain(figure, rows, codes[i], published[i]);
    }
  }

  /** Compares by the time without the start of processes. */
  private static void compareGain(
      EvaluationReport.Figure figure, List<Row> rows, String code, String published) {
    String what = code + ", gain of encoding-aware replication, ";
    figure.compareChange(
        what + "HDFS-RAID",
        published,
        median(rows, code, HDFS_RAID, row -> row.jobSeconds),
        median(rows, code, HDFS_RAID_EAR, row -> row.jobSeconds));
    figure.compareChange(
        what + "conversion in place",
        published.equals("-") ? published : published + " (HDFS-RAID)",
        median(rows, code, ADOPT, row -> row.jobSeconds),
        median(rows, code, ADOPT_EAR, row -> row.jobSeconds));
  }

  private static void traffic(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    int percent = Integer.parseInt(measurement.name.substring(TRAFFIC.length()));
    EvaluationReport.Figure figure =
        section.figure(
            "Experiment A.1 on a cluster, with injected traffic of "
                + percent
                + " % of a link's rate",
            "As in the paper, one node of each pair sends datagrams to the other. The paper's links"
                + " have 1 Gbit/s, and it injects up to 800 Mbit/s. Here senders and DataNodes"
                + " share one machine, which cannot do that on twelve links, so that the links have"
                + " "
                + SLOW_MBIT
                + " Mbit/s. Methods and times are those of the figure without traffic.",
            measurement);
    List<Row> rows = Section.rows(result, "rows", Row.class);
    EvaluationReport.Panel panel = figure.panel("conversion, measured", "MiB/s", null);
    rows.forEach(row -> panel.bar(row.method, row.code, row.mibPerSecond, null));
    compareGain(figure, rows, "RS-8-2", percent == 0 ? "57.5" : percent == 80 ? "119.7" : "-");
  }

  private static void writes(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Experiment A.2, figure 9, on a cluster: writes while replicas become erasure-coded",
            "The paper encodes 96 stripes on 13 machines in minutes, while a block of 64 MiB is"
                + " written every two seconds; here six stripes of smaller blocks are encoded in"
                + " seconds, by DataNodes that share the processors with twice as many writes.",
            measurement);
    List<Row> rows = Section.rows(result, "rows", Row.class);
    EvaluationReport.Panel panel = figure.panel("time of a write, measured", "s", null);
    for (Row row : rows) {
      if (row.writeSecondsBefore != null) {
        panel.bar(row.method, "before the conversion", row.writeSecondsBefore, null);
      }
      if (row.writeSecondsDuring != null) {
        panel.bar(row.method, "during the conversion", row.writeSecondsDuring, null);
      }
    }
    List<Conversion> samples = Section.rows(result, "samples", Conversion.class);
    for (Conversion sample : samples) {
      if (sample.repetition == 0 && sample.writeBegins != null) {
        series(
            sample,
            figure.panel("mean of three writes, first conversion", "s", "seconds since it began"));
      }
    }
    for (String code : rows.stream().map(row -> row.code).distinct().toArray(String[]::new)) {
      figure.compareChange(
          code + ", time of a write during the conversion, encoding-aware replication",
          "-12.4",
          meanDuring(samples, code, ADOPT_EAR),
          meanDuring(samples, code, ADOPT));
      figure.compareChange(
          code + ", time of the conversion, encoding-aware replication",
          "-31.6",
          median(rows, code, ADOPT_EAR, row -> row.seconds),
          median(rows, code, ADOPT, row -> row.seconds));
    }
  }

  /** Returns the mean of all writes beside conversions, null without any. */
  private static Double meanDuring(List<Conversion> samples, String code, String method) {
    double[] seconds =
        samples.stream()
            .filter(sample -> sample.code.equals(code) && sample.method.equals(method))
            .flatMapToDouble(sample -> Arrays.stream(sample.writeSecondsDuring))
            .toArray();
    return seconds.length == 0 ? null : Arrays.stream(seconds).average().getAsDouble();
  }

  /** Draws the times of consecutive writes over time, averaged as in the paper. */
  private static void series(Conversion sample, EvaluationReport.Panel panel) {
    double[] seconds =
        DoubleStream.concat(
                Arrays.stream(sample.writeSecondsBefore), Arrays.stream(sample.writeSecondsDuring))
            .toArray();
    for (int first = 0; first + 3 <= seconds.length; first += 3) {
      double mean = Arrays.stream(seconds, first, first + 3).average().getAsDouble();
      panel.point(sample.method, sample.writeBegins[first + 1], mean);
    }
  }

  private static void jobs(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Experiment A.3: jobs of a trace over replicas",
            "Both replay 50 jobs of Facebook's trace of 2009 that SWIM samples. Here their bytes"
                + " are divided by "
                + result.get("divisor").getAsLong()
                + ", "
                + result.get("atATime").getAsInt()
                + " run at a time on one machine, and most of the time is the start of their"
                + " processes. Placement may matter where networks are limits, which it is not"
                + " here.",
            measurement);
    EvaluationReport.Panel panel = figure.panel("jobs completed", "", "seconds");
    List<End> ends = Section.rows(result, "samples", End.class);
    Map<String, Double> last = new HashMap<>();
    for (String placement : new String[] {"stock", "ear"}) {
      Map<Integer, List<Double>> byRepetition = new TreeMap<>();
      for (End end : ends) {
        if (end.placement.equals(placement)) {
          byRepetition.computeIfAbsent(end.repetition, key -> new ArrayList<>()).add(end.seconds);
        }
      }
      byRepetition.values().forEach(Collections::sort);
      int jobs = byRepetition.values().iterator().next().size();
      for (int done = 1; done <= jobs; done++) {
        int nth = done - 1;
        double seconds = Spread.of(byRepetition.values(), times -> times.get(nth)).median;
        panel.point(placement, seconds, done);
        last.put(placement, seconds);
      }
    }
    figure.compareChange(
        "time until all jobs are complete, encoding-aware replication",
        "very similar",
        last.get("ear"),
        last.get("stock"));
  }

  private static Double median(
      List<Row> rows, String code, String method, Function<Row, Spread> value) {
    return Section.median(
        rows,
        row -> row.code.equals(code) && row.method.equals(method) && value.apply(row) != null,
        row -> value.apply(row).median);
  }
}
