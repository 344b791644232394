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
  private static final String ISAL = "isal";
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
    // With many threads a call of the slowest coder takes seconds.
    int rounds = threads > 10 ? 1 : 2;
    String effort =
        size.choose("--quick", "--rounds=1 --seconds=0.5", "--rounds=" + rounds + " --seconds=0.5");
    return Measurement.of(
            "coders-" + threads,
            size.choose(35, 50, threads > 10 ? 7 * threads : 45 + 10 * threads),
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
            "The document's native coder is ISA-L on processors with AVX2. Cells here have 1 MiB"
                + " instead of 64 KiB. With more threads than processors, throughput"
                + " stays where the processors are used up.",
            measurement);
    Map<String, Spread> rates = rates(result);
    rates.forEach(
        (name, spread) -> {
          String[] key = name.split(" ", 2);
          figure.panel(key[0] + ", RS-6-3, data", "GB/s", "threads").point(key[1], threads, spread);
        });
    for (String operation : new String[] {"encode", "decode"}) {
      Double ours = median(rates, operation, OURS);
      Double legacy = median(rates, operation, LEGACY);
      // The document's figures are those with 40 threads; for decoding the text has none.
      boolean isPublished = operation.equals("encode") && threads == 40;
      String name = operation + ", %s over %s, " + (int) threads + " threads";
      for (String coder : new String[] {ISAL, OURS}) {
        Double rate = median(rates, operation, coder);
        boolean isCompared = isPublished && coder.equals(ISAL);
        figure.compareRatio(
            String.format(name, coder, LEGACY), isCompared ? "over 30" : "-", rate, legacy);
        figure.compareRatio(
            String.format(name, coder, JAVA),
            isCompared ? "6" : "-",
            rate,
            median(rates, operation, JAVA));
      }
      figure.compareRatio(
          String.format(name, OURS, ISAL), "-", ours, median(rates, operation, ISAL));
    }
    figure.compareRatio(
        "encode over decode, " + LEGACY + ", " + (int) threads + " threads",
        "much less than 1",
        median(rates, "encode", LEGACY),
        median(rates, "decode", LEGACY));
  }

  private static Double median(Map<String, Spread> rates, String operation, String coder) {
    Spread rate = rates.get(operation + " " + coder);
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
