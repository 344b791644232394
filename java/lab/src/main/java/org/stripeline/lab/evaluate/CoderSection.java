// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.stripeline.terminal.Spread;

/** Coders by number of threads: figures 1 and 2 of the progress report. */
final class CoderSection implements Section {
  private static final String OURS = "stripeline direct";
  private static final String JAVA = "rs_java";
  private static final String LEGACY = "rs-legacy_java";

  @Override
  public String name() {
    return "coders";
  }

  @Override
  public String title() {
    return "Coders by number of threads";
  }

  @Override
  public String document() {
    return ClientSection.PROGRESS_REPORT;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    List<Integer> threads =
        size.choose(Arrays.asList(1), Arrays.asList(1, 4), Arrays.asList(1, 2, 5, 10, 20, 40));
    return threads.stream().map(count -> measurement(size, count)).collect(Collectors.toList());
  }

  /** Returns the measurement with a number of threads; other sections share that with one. */
  static Measurement measurement(Size size, int threads) {
    String effort = size.choose("--quick", "--rounds=1 --seconds=0.5", "--rounds=3 --seconds=0.5");
    return Measurement.of(
            "coders-" + threads,
            size.choose(35, 50, 110),
            "bench java --threads=" + threads + " " + effort)
        .withoutHdfs();
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    double threads = result.get("threads").getAsDouble();
    EvaluationReport.Figure figure =
        section.figure(
            "Figures 1 and 2: concurrent encoders and decoders",
            "The document's native coder is ISA-L on processors with AVX2; ours is Stripeline's."
                + " With more threads than processors, throughput stays where the processors are"
                + " used up.",
            measurement);
    Map<String, Spread> rates = rates(result);
    rates.forEach(
        (name, spread) -> {
          String[] key = name.split(" ", 2);
          figure.panel(key[0] + ", RS-6-3, data", "GB/s", "threads").point(key[1], threads, spread);
        });
    String what = "encode, native coder over %s, " + (int) threads + " threads";
    Double ours = median(rates, OURS);
    figure.compareRatio(
        String.format(what, LEGACY), "over 30 (ISA-L, 40 threads)", ours, median(rates, LEGACY));
    figure.compareRatio(
        String.format(what, JAVA), "6 (ISA-L, 40 threads)", ours, median(rates, JAVA));
  }

  private static Double median(Map<String, Spread> rates, String coder) {
    Spread rate = rates.get("encode " + coder);
    return rate == null ? null : rate.median;
  }

  /** Returns the throughput of data in GB/s by "operation coder". */
  static Map<String, Spread> rates(JsonObject result) {
    Map<String, Spread> rates = new LinkedHashMap<>();
    result
        .getAsJsonObject("gigabytesPerSecond")
        .entrySet()
        .forEach(
            entry -> {
              List<Double> values = new ArrayList<>();
              entry.getValue().getAsJsonArray().forEach(one -> values.add(one.getAsDouble()));
              rates.put(entry.getKey(), Spread.of(values));
            });
    return rates;
  }
}
