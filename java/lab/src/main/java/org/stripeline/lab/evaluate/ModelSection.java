// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stripeline.terminal.ByteSize;

/** Predictions of the paper's analytical model beside the measured throughput of writes. */
final class ModelSection implements Section {
  private static final String NOTHING = "noop";
  private static final String NOTHING_PARTITIONED = "umr-noop";
  private static final String PARTITIONED = "functional-partitioned";

  /** Rates of coders on one thread, in MiB/s of data, by name. */
  private final Map<String, Double> coders = new HashMap<>();

  @Override
  public String name() {
    return "model";
  }

  @Override
  public String title() {
    return "The analytical model of writes";
  }

  @Override
  public String document() {
    return EngineSection.UMR_EC;
  }

  @Override
  public List<Measurement> measurements(Size size) {
    return Arrays.asList(CoderSection.measurement(size, 1), ClientSection.measurement(size));
  }

  @Override
  public void conclude(
      Measurement measurement, JsonObject result, EvaluationReport.Section section) {
    if (result.has("gigabytesPerSecond")) {
      CoderSection.rates(result)
          .forEach((name, rate) -> coders.put(name, rate.median * 1e9 / ByteSize.MIB));
      return;
    }
    Map<String, Double> writes = ClientSection.writes(result);
    // Without this contestant there is no rate of everything but coding.
    if (!coders.isEmpty() && writes.containsKey(NOTHING)) {
      predict(writes, measurement, section);
    }
  }

  private void predict(
      Map<String, Double> writes, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Equations 1 to 9: predicted and measured throughput of one writer",
            "Predicted from the rate of the coder on one thread and the throughput of a coder that"
                + " computes nothing (T_comm + T_other). The model takes nothing from one activity"
                + " for another; here all share the processors, so that measured values are lower.",
            measurement);
    Double transfer = writes.get(NOTHING);
    Double partitioned = writes.get(NOTHING_PARTITIONED);
    Double ours = coders.get("encode stripeline direct");
    for (String coder : new String[] {"rs-legacy_java", "rs_java"}) {
      Double rate = coders.get("encode " + coder);
      if (rate != null && transfer != null) {
        compare(figure, coder + " (1)", PipelineModel.sequential(rate, transfer), writes, coder);
      }
    }
    if (ours != null && transfer != null) {
      double sequential = PipelineModel.sequential(ours, transfer);
      compare(figure, "our coder in Hadoop's pipeline (1)", sequential, writes, "coder");
      double overlapped = PipelineModel.overlapped(ours, transfer);
      compare(figure, "our pipeline, non-blocking (7)", overlapped, writes, "non-blocking");
    }
    if (ours != null && partitioned != null) {
      compare(
          figure,
          "our pipeline, partitioned (9)",
          PipelineModel.partitioned(ours, partitioned, partitioned),
          writes,
          PARTITIONED);
    }
  }

  private static void compare(
      EvaluationReport.Figure figure,
      String what,
      double predicted,
      Map<String, Double> writes,
      String contestant) {
    figure.compare(
        what,
        String.format(Locale.ROOT, "%.0f predicted", predicted),
        writes.get(contestant),
        "MiB/s");
  }
}
