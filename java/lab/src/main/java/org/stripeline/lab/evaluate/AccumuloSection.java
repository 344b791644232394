// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.stripeline.terminal.Spread;

/** Accumulo: the tables of the project's article on erasure coding. */
final class AccumuloSection implements Section {
  private static final String LOG = "accumulo-log";
  private static final String REPLICATION = "3-rep";
  private static final String ALL = "all DataNodes";
  private static final String DEAD = "2 dead";
  private static final String SMALL_CELLS = "RS-6-3-64k";
  private static final String LARGE_CELLS = "RS-6-3-1024k";
  private static final String WIDE = "RS-10-4-1024k";

  /** Milliseconds of a bucket of the histogram. */
  private static final int BUCKET = 5;

  private static final String[] VALUES = {"min", "mean", "max"};

  /** The document's {@link #VALUES} of the times of ten lookups, over those of replicas. */
  private static final String[][] PUBLISHED_LOOKUPS = {
    {SMALL_CELLS, ALL, "2.1 (23 ms over 11)", "1.9 (43 ms over 23)", "1.5 (1064 ms over 731)"},
    {SMALL_CELLS, DEAD, "2.0 (24 ms over 12)", "2.3 (61 ms over 26)", "4.6 (1402 ms over 304)"},
    {LARGE_CELLS, ALL, "2.7 (30 ms over 11)", "3.0 (68 ms over 23)", "1.8 (1297 ms over 731)"},
    {LARGE_CELLS, DEAD, "2.8 (34 ms over 12)", "4.3 (113 ms over 26)", "5.5 (1662 ms over 304)"},
    {WIDE, ALL, "3.6 (40 ms over 11)", "4.6 (105 ms over 23)", "2.9 (2148 ms over 731)"},
    {WIDE, DEAD, "4.4 (53 ms over 12)", "5.5 (143 ms over 26)", "10.6 (3221 ms over 304)"},
  };

  /** An operation on a table. */
  private static final class Sample {
    String contestant;
    String compression;
    String operation;
    double seconds;
  }

  /** What tablet servers acknowledged before they were killed, and what was there afterwards. */
  private static final class Trial {
    String client;
    String trial;
    long acknowledged;
    long lost;

    /** Those of a service that did not come back, which may be lost or not. */
    long notServed;

    /** Why nothing could be read, or empty. */
    String remark;
  }

  /** Milliseconds of each batch of lookups. */
  private static final class Lookups {
    String contestant;
    String state;
    double[] milliseconds;
  }

  @Override
  public String name() {
    return "accumulo";
  }

  @Override
  public String title() {
    return "Accumulo";
  }

  @Override
  public String document() {
    return "Seidl: Using HDFS Erasure Coding with Accumulo, accumulo.apache.org, 2019";
  }

  @Override
  public List<Measurement> measurements(Size size) {
    if (size != Size.FULL) {
      String arguments =
          size.choose(
              "functional-partitioned RS-6-3-64k gz 2000 5",
              "3-rep,functional-partitioned RS-6-3-64k gz,none 30000 100",
              null);
      return Collections.singletonList(measurement("", size.choose(60, 120, 0), arguments));
    }
    List<Measurement> all = new ArrayList<>();
    for (String policy : new String[] {SMALL_CELLS, LARGE_CELLS, WIDE}) {
      // All contestants with the policy that the article advises.
      boolean isAdvised = policy.equals(SMALL_CELLS);
      all.add(
          measurement(
              "-" + policy,
              isAdvised ? 525 : 315,
              (isAdvised
                      ? "3-rep,rs_java,isal,coder,functional-partitioned "
                      : "3-rep,isal,functional-partitioned ")
                  + policy
                  + " none,snappy,gz 100000 500"));
    }
    all.add(
        Measurement.script(
            LOG,
            820,
            "scripts/test-applications.sh --json --cases=some-stripes,all-killed accumulo"));
    return all;
  }

  private static Measurement measurement(String suffix, int seconds, String arguments) {
    return Measurement.script(
        "accumulo" + suffix, seconds, "scripts/application.sh accumulo " + arguments);
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    if (measurement.name.equals(LOG)) {
      log(Section.rows(result, "trials", Trial.class), measurement, section);
      return;
    }
    String policy = result.get("policy").getAsString();
    files(policy, Section.rows(result, "samples", Sample.class), measurement, section);
    lookups(policy, Section.rows(result, "lookups", Lookups.class), measurement, section);
  }

  private static void files(
      String policy,
      List<Sample> samples,
      Measurement measurement,
      EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Writing files of a bulk import by compression, import, and scan",
            "The document wrote 400 million rows by 40 writers on many machines; here one thread"
                + " writes, so that compressing, and without compression making the rows, takes"
                + " most of the time. An import moves the files and writes none. The document's"
                + " coder is ISA-L.",
            measurement);
    for (Sample sample : samples) {
      figure
          .panel(policy + ", " + sample.operation, "s", null)
          .bar(sample.contestant, sample.compression, sample.seconds);
    }
    String[][] published = {{"gz", "0"}, {"none", "-33"}, {"snappy", "0"}};
    for (String contestant : contestants(samples)) {
      for (String[] row : published) {
        figure.compareChange(
            "writing, " + row[0] + ", " + policy + ", time with " + contestant + " over 3 replicas",
            policy.equals(LARGE_CELLS) ? row[1] : "-",
            seconds(samples, row[0], contestant),
            seconds(samples, row[0], REPLICATION));
      }
    }
  }

  private static String[] contestants(List<Sample> samples) {
    return samples.stream()
        .map(one -> one.contestant)
        .filter(one -> !one.equals(REPLICATION))
        .distinct()
        .toArray(String[]::new);
  }

  private static Double seconds(List<Sample> samples, String compression, String contestant) {
    return Section.median(
        samples,
        one ->
            one.operation.equals("write")
                && one.compression.equals(compression)
                && one.contestant.equals(contestant),
        one -> one.seconds);
  }

  private static void log(
      List<Trial> trials, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Mutations lost when tablet servers are killed, logs in an erasure-coded directory",
            "The document's logs were corrupt after a loss of power, because HDFS ignores hflush"
                + " and hsync of erasure-coded files; here all tablet servers are killed while they"
                + " write, and others recover.",
            measurement);
    for (Trial trial : trials) {
      figure.compare(
          trial.trial
              + ", "
              + trial.client
              + " client, of "
              + trial.acknowledged
              + (trial.remark.isEmpty() ? "" : ", " + trial.remark),
          trial.client.equals("stock") ? "logs corrupt" : "-",
          (double) (trial.lost + trial.notServed),
          trial.notServed > 0 ? "mutations not served" : "mutations");
    }
  }

  private static void lookups(
      String policy,
      List<Lookups> lookups,
      Measurement measurement,
      EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Time of a batch of ten random rows, without and with two dead DataNodes, and rebuilt",
            "In the document 16 clients at a time read a table of ten billion rows on 16 machines;"
                + " here one client reads, and all blocks are in the page cache of this machine, so"
                + " that each read of another block costs less, and buckets have 5 ms instead of"
                + " 50. Hadoop's reader keeps the stripe that it read last in memory, which with"
                + " --full is up to 22 % of the table. The document's values are those of ISA-L and"
                + " of 160,000 batches, of which the greatest says nothing about the fewer ones"
                + " here.",
            measurement);
    for (Lookups one : lookups) {
      List<Double> times = new ArrayList<>();
      Arrays.stream(one.milliseconds).forEach(times::add);
      figure
          .panel(policy + ", one batch", "ms", null)
          .bar(one.contestant, one.state, Spread.of(times), null);
      Map<Integer, Integer> buckets = new TreeMap<>();
      times.forEach(time -> buckets.merge((int) (time / BUCKET), 1, Integer::sum));
      for (Map.Entry<Integer, Integer> bucket : buckets.entrySet()) {
        double share = 100.0 * bucket.getValue() / times.size();
        figure
            .panel(policy + ", " + one.state + ": share of batches", "%", "ms")
            .point(one.contestant, bucket.getKey() * BUCKET, share);
      }
    }
    for (String[] row : PUBLISHED_LOOKUPS) {
      for (Lookups one : lookups) {
        boolean isCompared = row[0].equals(policy) && row[1].equals(one.state);
        if (isCompared && !one.contestant.equals(REPLICATION)) {
          compare(figure, row, one, lookups);
        }
      }
    }
  }

  private static void compare(
      EvaluationReport.Figure figure, String[] row, Lookups one, List<Lookups> lookups) {
    for (int i = 0; i < VALUES.length; i++) {
      int value = i;
      figure.compareRatio(
          String.format(
              "%s, %s, %s, %s over 3 replicas", VALUES[i], row[0], row[1], one.contestant),
          row[2 + i],
          summary(one)[i],
          Section.median(
              lookups,
              other -> other.state.equals(one.state) && other.contestant.equals(REPLICATION),
              other -> summary(other)[value]));
    }
  }

  /** Returns the {@link #VALUES} of all batches. */
  private static double[] summary(Lookups lookups) {
    DoubleSummaryStatistics all = Arrays.stream(lookups.milliseconds).summaryStatistics();
    return new double[] {all.getMin(), all.getAverage(), all.getMax()};
  }
}
