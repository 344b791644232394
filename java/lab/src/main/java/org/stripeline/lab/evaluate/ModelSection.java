// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.terminal.ByteSize;

/** Predictions of the paper's analytical model beside the measured throughput of one client. */
final class ModelSection implements Section {
  private static final String STOCK = "rs_java";
  private static final String OURS = "functional-partitioned";

  /** Units that {@code bench java} decodes at a time; fewer take less time. */
  private static final int DECODED_UNITS = 3;

  /** Rates of coders on one thread, in MiB/s of data, by operation and name. */
  private final Map<String, Double> coders = new HashMap<>();

  @Override
  public String name() {
    return "model";
  }

  @Override
  public String title() {
    return "The analytical model of writes and reads";
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
    if (!coders.isEmpty()) {
      predict(ClientSection.rates(result), measurement, section);
    }
  }

  private void predict(
      Map<String, Double> rates, Measurement measurement, EvaluationReport.Section section) {
    EvaluationReport.Figure figure =
        section.figure(
            "Equations 1, 2, 7 and 9: predicted and measured throughput of one client",
            "Predicted from the rate of the coder on one thread, and from what one client reaches"
                + " without coding: Hadoop's pipeline with a coder that computes nothing, our"
                + " non-blocking mode as our blocking mode less its coding, although it also takes"
                + " checksums off the caller's thread, our partitioned"
                + " pipeline over an engine that computes nothing, and reads with all DataNodes."
                + " The model takes nothing from one activity for another; here all share the"
                + " processors. Equations 3, 4 and 6, which is 5 with the best"
                + " division, are in the section of the engine; 8 is as 7, for a"
                + " reader in which decoding alone is not blocking, which no contestant has.",
            measurement);
    Double hadoops = rates.get("write noop");
    for (String coder : new String[] {"rs-legacy_java", STOCK}) {
      Double coding = coders.get("encode " + coder);
      if (coding != null && hadoops != null) {
        String measured = "write " + coder;
        compare(figure, measured, 1, PipelineModel.sequential(coding, hadoops), rates);
      }
    }
    Double encoding = coders.get("encode stripeline direct");
    if (encoding == null) {
      return;
    }
    if (hadoops != null) {
      compare(figure, "write coder", 1, PipelineModel.sequential(encoding, hadoops), rates);
    }
    Double blocking = rates.get("write blocking");
    if (blocking != null && blocking < encoding) {
      double transfer = PipelineModel.withoutCoding(blocking, encoding);
      compare(figure, "write non-blocking", 7, PipelineModel.overlapped(encoding, transfer), rates);
    }
    Double empty = rates.get("write umr-noop");
    if (empty != null) {
      double predicted = PipelineModel.partitioned(encoding, empty, empty);
      compare(figure, "write " + OURS, 9, predicted, rates);
    }
    reads(figure, rates);
  }

  private void reads(EvaluationReport.Figure figure, Map<String, Double> rates) {
    String[][] readers = {
      {STOCK, STOCK}, {"coder", "stripeline direct"}, {OURS, "stripeline direct"}
    };
    for (int dead = 1; dead <= DECODED_UNITS; dead++) {
      for (String[] reader : readers) {
        Double decoding = coders.get("decode " + reader[1]);
        Double transfer = rates.get("read " + reader[0]);
        if (decoding == null || transfer == null) {
          continue;
        }
        double units = decoding * DECODED_UNITS / dead;
        String measured = "read-dead" + dead + " " + reader[0];
        if (reader[0].equals(OURS)) {
          double predicted = PipelineModel.partitioned(units, transfer, transfer);
          compare(figure, measured, 9, predicted, rates);
        } else {
          compare(figure, measured, 2, PipelineModel.sequential(units, transfer), rates);
        }
      }
    }
  }

  private static void compare(
      EvaluationReport.Figure figure,
      String name,
      int equation,
      double predicted,
      Map<String, Double> rates) {
    Double measured = rates.get(name);
    if (measured == null) {
      return;
    }
    String operation = name.substring(0, name.indexOf(' '));
    String contestant = name.substring(operation.length() + 1);
    EvaluationReport.Panel panel = figure.panel(operation, "MiB/s", null);
    panel.bar("predicted", contestant, predicted);
    panel.bar("measured", contestant, measured);
    figure.compareRatio(
        name + ", measured over predicted by equation " + equation, "-", measured, predicted);
  }
}
