// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;

class PipelineModelTest {
  @Test
  void equationsHoldForRates() {
    assertThat(PipelineModel.sequential(200, 200)).isCloseTo(100, within(1e-9));
    assertThat(PipelineModel.sequential(1e12, 508)).isCloseTo(508, within(1e-3));
    assertThat(PipelineModel.overlapped(300, 508)).isEqualTo(300);
    assertThat(PipelineModel.overlapped(900, 508)).isEqualTo(508);
    assertThat(PipelineModel.partitioned(900, 700, 800)).isEqualTo(700);
    assertThat(PipelineModel.fastest(31.2, 11.5, 8.5)).isEqualTo(31.2);
    assertThat(PipelineModel.together(31.2, 11.5, 8.5)).isCloseTo(51.2, within(1e-9));
  }

  @Test
  void writesArePredictedFromCodersAndACoderThatComputesNothing() {
    ModelSection model = new ModelSection();
    EvaluationReport.Section section = new EvaluationReport.Section("model", "", "");
    Measurement any = Measurement.of("any", 1, "bench io");
    model.conclude(
        any,
        JsonParser.parseString("{'gigabytesPerSecond':{'encode rs_java':[0.1048576]}}")
            .getAsJsonObject(),
        section);
    model.conclude(
        any,
        JsonParser.parseString("{'rows':[" + row("noop", 100) + "," + row("rs_java", 40) + "]}")
            .getAsJsonObject(),
        section);
    assertThat(section.figures.get(0).comparisons)
        .extracting(one -> one.what + ": " + one.published + ", " + one.here)
        .containsExactly("rs_java (1): 50 predicted, 40.0");
  }

  private static String row(String contestant, int rate) {
    return String.format(
        "{'threads':1,'operation':'write','contestant':'%s','mibPerSecond':{'median':%d}}",
        contestant, rate);
  }
}
