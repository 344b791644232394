// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.stripeline.lab.bench.BenchText.number;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.Spread;
import org.stripeline.terminal.TextTable;

/** The results of a run; field names are those of the JSON output. */
@SuppressWarnings("unused")
final class JavaBenchReport {
  /** Thresholds of our coder, as documented. */
  private static final double OVER_RS_JAVA_MIN = 20;

  private static final double HEAP_OVER_DIRECT_MIN = 0.85;
  private static final double CALL_NANOS_MAX = 400;

  private final String java = System.getProperty("java.vm.name") + " " + runtimeVersion();
  private final String coder = CoderStatus.current().toString();
  private final int rounds;
  private final double seconds;
  private final int chunkKib;
  private final int threads;

  /**
   * 10^9 data bytes per second in Hadoop's benchmark, by "operation contestant", one value per JVM.
   */
  private final Map<String, List<Double>> gigabytesPerSecond = new LinkedHashMap<>();

  /** CPU nanoseconds of a call by "operation buffers cell-bytes", one value per JVM. */
  private final Map<String, List<Double>> callNanos = new LinkedHashMap<>();

  /** Coders that this machine lacks, with the reasons. */
  private final Map<String, String> leftOut = new LinkedHashMap<>();

  private final List<Judgement> judgements = new ArrayList<>();

  JavaBenchReport(int rounds, double seconds, int chunkKib, int threads) {
    this.rounds = rounds;
    this.seconds = seconds;
    this.chunkKib = chunkKib;
    this.threads = threads;
  }

  private static String runtimeVersion() {
    return System.getProperty("java.runtime.version");
  }

  void leaveOut(BenchCoder contestant) {
    leftOut.put(contestant.label(), contestant.absence());
  }

  void addThroughput(BenchCoder contestant, String operation, double value) {
    add(gigabytesPerSecond, operation + " " + contestant.label(), value);
  }

  /**
   * Adds the output of {@link CallCostRun}.
   *
   * @param lines "operation buffers cell-bytes nanoseconds"
   */
  void addCallCosts(List<String> lines) {
    for (String line : lines) {
      int last = line.lastIndexOf(' ');
      add(callNanos, line.substring(0, last), Double.parseDouble(line.substring(last + 1)));
    }
  }

  /** Compares the values with the thresholds, round by round. */
  void judge() {
    for (String operation : new String[] {"encode", "decode"}) {
      atLeast(
          OVER_RS_JAVA_MIN,
          operation + ", direct buffers, times rs_java",
          ratio(operation, BenchCoder.STRIPELINE_DIRECT, BenchCoder.RS_JAVA));
      atLeast(
          HEAP_OVER_DIRECT_MIN,
          operation + ", heap buffers, times direct buffers",
          ratio(operation, BenchCoder.STRIPELINE_HEAP, BenchCoder.STRIPELINE_DIRECT));
    }
    for (String call : new String[] {"encode direct 64", "decode-1 direct 64"}) {
      double value = Spread.of(callNanos.get(call)).median;
      judgements.add(
          Judgement.of(
              call + "-byte cells, ns per call",
              value,
              number("at most %.0f", CALL_NANOS_MAX),
              true,
              value <= CALL_NANOS_MAX));
    }
  }

  /** Returns whether every threshold is met. */
  boolean isKept() {
    return !Judgement.anyMissed(judgements);
  }

  private void atLeast(double limit, String name, double value) {
    judgements.add(Judgement.of(name, value, number("at least %.2f", limit), true, value >= limit));
  }

  /** Returns the median over rounds of the ratio of two contestants' throughput. */
  private double ratio(String operation, BenchCoder one, BenchCoder other) {
    return Spread.of(
            combine(
                gigabytesPerSecond.get(operation + " " + one.label()),
                gigabytesPerSecond.get(operation + " " + other.label()),
                (left, right) -> left / right))
        .median;
  }

  /** Returns the result as text. */
  String render() {
    BenchText text = new BenchText();
    text.line(
        "Hadoop's RawErasureCoderBenchmark, RS(6,3), %d KiB chunks, %d thread(s)",
        chunkKib, threads);
    TextTable rates = new TextTable("GB/s of data", "median", "min", "max", "x rs_java");
    gigabytesPerSecond.forEach(
        (name, values) -> {
          List<Double> base =
              gigabytesPerSecond.get(name.split(" ")[0] + " " + BenchCoder.RS_JAVA.label());
          double ratio = Spread.of(combine(values, base, (left, right) -> left / right)).median;
          Spread spread = Spread.of(values);
          rates.row(
              name,
              number("%.3f", spread.median),
              number("%.3f", spread.min),
              number("%.3f", spread.max),
              number("%.2f", ratio));
        });
    TextTable calls = new TextTable("CPU ns per call of our coder", "median", "min", "max");
    callNanos.forEach(
        (name, values) -> {
          Spread spread = Spread.of(values);
          calls.row(
              name + "-byte cells",
              number("%.0f", spread.median),
              number("%.0f", spread.min),
              number("%.0f", spread.max));
        });
    text.line("%s%s", rates.render(), calls.section());
    text.leftOut(leftOut);
    text.judged(Collections.emptyList(), judgements);
    return text.toString();
  }

  private static void add(Map<String, List<Double>> figures, String name, double value) {
    figures.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
  }

  private static List<Double> combine(
      List<Double> left, List<Double> right, DoubleBinaryOperator operator) {
    List<Double> combined = new ArrayList<>();
    for (int i = 0; i < left.size(); i++) {
      combined.add(operator.applyAsDouble(left.get(i), right.get(i)));
    }
    return combined;
  }
}
