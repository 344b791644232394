// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonParser;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        .extracting(one -> one.what + ": " + one.here)
        .containsExactly("write rs_java, measured over predicted by equation 1: 0.8");
    assertThat(section.figures.get(0).panels.get(0).values)
        .extracting(one -> one.series + " " + one.group + " " + one.median)
        .containsExactly("predicted rs_java 50.0", "measured rs_java 40.0");
  }

  @Test
  void readsArePredictedFromTheUnitsThatAreLost() {
    ModelSection model = new ModelSection();
    EvaluationReport.Section section = new EvaluationReport.Section("model", "", "");
    Measurement any = Measurement.of("any", 1, "bench io");
    String coders =
        "{'gigabytesPerSecond':{'encode stripeline direct':[1],'decode rs_java':[0.1048576],"
            + "'decode stripeline direct':[0.1048576]}}";
    model.conclude(any, JsonParser.parseString(coders).getAsJsonObject(), section);
    String rows =
        Stream.of(
                read("read", "rs_java", 300),
                read("read-dead1", "rs_java", 75),
                read("read", "functional-partitioned", 300),
                read("read-dead3", "functional-partitioned", 50))
            .collect(Collectors.joining(","));
    model.conclude(
        any, JsonParser.parseString("{'rows':[" + rows + "]}").getAsJsonObject(), section);
    assertThat(section.figures.get(0).comparisons)
        .extracting(one -> one.what + ": " + one.here)
        .containsExactly(
            "read-dead1 rs_java, measured over predicted by equation 2: 0.5",
            "read-dead3 functional-partitioned, measured over predicted by equation 9: 0.5");
  }

  private static String read(String operation, String contestant, int rate) {
    return row(contestant, rate).replace("write", operation);
  }

  private static String row(String contestant, int rate) {
    return String.format(
        "{'threads':1,'operation':'write','contestant':'%s','mibPerSecond':{'median':%d}}",
        contestant, rate);
  }
}
