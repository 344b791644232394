// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.stripeline.terminal.Spread;

/** Coders by number of threads: figures 1 and 2 of the progress report. */
final class CoderSection implements Section {
  private static final String OURS = "stripeline direct";
  private static final String JAVA = "rs_java";
  private static final String LEGACY = "rs-legacy_java";

  /** Throughput of the run with one thread, by "operation coder". */
  private final Map<String, Double> one = new HashMap<>();

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
        size.choose(Arrays.asList(1), Arrays.asList(1, 2, 4), Arrays.asList(1, 2, 5, 10, 20, 40));
    return threads.stream().map(count -> measurement(size, count)).collect(Collectors.toList());
  }

  /** Returns the measurement with a number of threads; other sections share that with one. */
  static Measurement measurement(Size size, int threads) {
    String effort = size.choose("--quick", "--rounds=1 --seconds=0.5", "--rounds=5 --seconds=3");
    return Measurement.of(
        "coders-" + threads,
        size.choose(15, 25, 300),
        "bench java --threads=" + threads + " " + effort);
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    double threads = result.get("threads").getAsDouble();
    EvaluationReport.Figure figure = figure(measurement, section);
    for (Map.Entry<String, JsonElement> entry :
        result.getAsJsonObject("gigabytesPerSecond").entrySet()) {
      String[] key = entry.getKey().split(" ", 2);
      List<Double> values = new ArrayList<>();
      entry.getValue().getAsJsonArray().forEach(value -> values.add(value.getAsDouble()));
      Spread spread = Spread.of(values);
      panel(figure, key[0]).point(key[1], threads, spread);
      one.put(threads + " " + entry.getKey(), spread.median);
    }
    String what = "%s, %s over %s, " + (int) threads + " threads";
    figure.compare(
        String.format(what, "encode", "native coder", LEGACY),
        "over 30 (ISA-L, 40 threads)",
        ratio(threads, "encode", OURS, LEGACY),
        "x");
    figure.compare(
        String.format(what, "encode", "native coder", JAVA),
        "6 (ISA-L, 40 threads)",
        ratio(threads, "encode", OURS, JAVA),
        "x");
  }

  private Double ratio(double threads, String operation, String coder, String other) {
    Double rate = one.get(threads + " " + operation + " " + coder);
    Double than = one.get(threads + " " + operation + " " + other);
    return rate == null || than == null ? null : rate / than;
  }

  /** Returns the figure, which all measurements share. */
  private static EvaluationReport.Figure figure(
      Measurement measurement, EvaluationReport.Section section) {
    return section.figures.isEmpty()
        ? section.figure(
            "Figures 1 and 2: concurrent encoders and decoders",
            "The document's native coder is ISA-L on processors with AVX2; ours is Stripeline's."
                + " With more threads than processors, throughput stays where the processors are"
                + " used up.",
            measurement)
        : section.figures.get(0);
  }

  private static EvaluationReport.Panel panel(EvaluationReport.Figure figure, String operation) {
    String title = operation + ", RS-6-3, data";
    for (EvaluationReport.Panel panel : figure.panels) {
      if (panel.title.equals(title)) {
        return panel;
      }
    }
    return figure.panel(title, "GB/s", "threads");
  }
}
