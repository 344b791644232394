// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.stripeline.lab.bench.Judgement;
import org.stripeline.terminal.Spread;

/**
 * Compares the samples with the documented thresholds of adoption. Ratios are computed within each
 * repetition, and their median is judged; what was not measured is not judged.
 */
final class ConvertJudge {
  private static final double TIMES_COPY_MIN = 2;
  private static final double TIMES_COPY_SHAPED_MIN = 4;
  private static final double CPU_MAX = 0.5;

  /**
   * The gain in encoding throughput of encoding-aware placement over Hadoop's: Li, Hu, Lee, DSN
   * 2015, experiment A.1, on 12 racks of one node with 2 replicas. The paper gives only the
   * smallest and the largest gain as numbers.
   */
  private static final Map<String, Double> PLACEMENT_GAIN = new HashMap<>();

  static {
    PLACEMENT_GAIN.put("RS-4-2", 1.199);
    PLACEMENT_GAIN.put("RS-10-2", 1.597);
  }

  private final List<ConvertSample> samples;
  private final boolean shaped;
  private final boolean rough;

  ConvertJudge(List<ConvertSample> samples, boolean shaped, boolean rough) {
    this.samples = samples;
    this.shaped = shaped;
    this.rough = rough;
  }

  List<Judgement> judge() {
    List<Judgement> judgements = new ArrayList<>();
    TreeSet<String> codes = new TreeSet<>();
    samples.forEach(sample -> codes.add(sample.code));
    for (String code : codes) {
      judgeAdoption(code, judgements);
      judgePlacement(code, judgements);
    }
    return judgements;
  }

  private void judgeAdoption(String code, List<Judgement> judgements) {
    List<ConvertSample> adoption = samples(code, ConversionMethod.ADOPT);
    List<Double> speed = timesCopy(adoption);
    if (speed.isEmpty()) {
      return;
    }
    double least = shaped ? TIMES_COPY_SHAPED_MIN : TIMES_COPY_MIN;
    add(
        judgements,
        code + ": throughput of adoption over the fastest stock copy",
        speed,
        least,
        true);
    List<Double> cpu =
        ratios(adoption, (one, copy) -> one.totalCpuSecondsPerGib() / copy.totalCpuSecondsPerGib());
    if (!shaped) {
      add(judgements, code + ": processor time of adoption by that copy's", cpu, CPU_MAX, false);
    }
  }

  private void judgePlacement(String code, List<Judgement> judgements) {
    List<Double> gain = new ArrayList<>();
    for (ConvertSample ear : samples(code, ConversionMethod.ADOPT_EAR)) {
      for (ConvertSample other : samples(code, ConversionMethod.ADOPT)) {
        if (ear.isBeside(other)) {
          gain.add(other.jobSeconds / ear.jobSeconds);
        }
      }
    }
    if (!gain.isEmpty() && shaped) {
      add(
          judgements,
          code + ": throughput with encoding-aware placement over Hadoop's",
          gain,
          PLACEMENT_GAIN.getOrDefault(code, 1.0),
          true);
    }
  }

  private void add(
      List<Judgement> judgements, String name, List<Double> ratios, double limit, boolean least) {
    double value = Spread.of(ratios).median;
    boolean kept = least ? value >= limit : value <= limit;
    String bound = String.format(Locale.ROOT, least ? ">= %.2f" : "<= %.2f", limit);
    judgements.add(Judgement.of(name, value, bound, !rough, kept));
  }

  private List<ConvertSample> samples(String code, ConversionMethod method) {
    List<ConvertSample> found = new ArrayList<>();
    for (ConvertSample sample : samples) {
      if (sample.code.equals(code) && sample.method.equals(method.label())) {
        found.add(sample);
      }
    }
    return found;
  }

  /**
   * Returns the throughput of each sample relative to the fastest stock copy of the same
   * repetition.
   */
  List<Double> timesCopy(List<ConvertSample> of) {
    return ratios(of, (one, copy) -> one.mibPerSecond / copy.mibPerSecond);
  }

  private List<Double> ratios(
      List<ConvertSample> of, BiFunction<ConvertSample, ConvertSample, Double> ratio) {
    List<Double> ratios = new ArrayList<>();
    for (ConvertSample one : of) {
      ConvertSample copy = fastestCopy(one);
      if (copy != null) {
        ratios.add(ratio.apply(one, copy));
      }
    }
    return Collections.unmodifiableList(ratios);
  }

  private ConvertSample fastestCopy(ConvertSample beside) {
    ConvertSample fastest = null;
    for (ConvertSample sample : samples) {
      boolean copy = !ConversionMethod.parse(sample.method).isInPlace() && sample.isBeside(beside);
      if (copy && (fastest == null || sample.mibPerSecond > fastest.mibPerSecond)) {
        fastest = sample;
      }
    }
    return fastest;
  }
}
