// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stripeline.simulator.scenario.Figure;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.Scenario;
import org.stripeline.simulator.scenario.ScenarioException;
import org.stripeline.terminal.Sheet;

/**
 * Compares every scenario in its quick form with the paper, with wide bounds; {@code bench/record}
 * has the full results.
 */
class PaperTest {
  /** Reports that several tests use. */
  private static final Map<String, Report> REPORTS = new HashMap<>();

  private static Report run(String scenario) throws ScenarioException {
    Report report = REPORTS.get(scenario);
    if (report == null) {
      report = Experiment.run(Scenario.quick(scenario), 1, line -> {});
      REPORTS.put(scenario, report);
    }
    return report;
  }

  private static double of(Report report, int variant, Policy policy, Figure figure) {
    return report.variants.get(variant).find(policy, figure).ours;
  }

  private static double gain(Report report, int variant) {
    return of(report, variant, Policy.EAR, Figure.ENCODE_GAIN_PERCENT);
  }

  @Test
  void gainsGrowWithTheCode() throws ScenarioException {
    Report report = run("a1-code");
    assertThat(gain(report, 0)).isBetween(5.0, 45.0);
    assertThat(gain(report, 3)).isBetween(40.0, 80.0).isGreaterThan(gain(report, 0) + 10);
    assertThat(gain(report, 2)).isGreaterThan(gain(report, 0));
  }

  @Test
  void gainsGrowWithInjectedTraffic() throws ScenarioException {
    Report report = run("a1-traffic");
    assertThat(gain(report, 0)).isBetween(35.0, 75.0);
    assertThat(gain(report, 3)).isBetween(75.0, 170.0);
    assertThat(gain(report, 2)).isGreaterThan(gain(report, 0));
  }

  @Test
  void writesAndEncodingTakeLessTimeUnderEar() throws ScenarioException {
    Report report = run("a2-writes");
    assertThat(of(report, 0, Policy.EAR, Figure.ENCODE_TIME_CHANGE_PERCENT))
        .isBetween(-45.0, -20.0);
    assertThat(of(report, 0, Policy.EAR, Figure.RESPONSE_CHANGE_PERCENT)).isLessThan(-8.0);
    assertThat(of(report, 0, Policy.RR, Figure.WRITE_SECONDS_BEFORE)).isEqualTo(1.4, within(0.25));
  }

  @Test
  void theSimulationTableHasThePapersSizes() throws ScenarioException {
    Report report = run("simulation");
    assertThat(gain(report, 0)).isEqualTo(70.1, within(25.0));
    assertThat(gain(report, 1)).isEqualTo(78.7, within(30.0));
    assertThat(gain(report, 2)).isEqualTo(82.1, within(35.0));
    assertThat(gain(report, 3)).isBetween(90.0, 260.0);
    for (int variant = 0; variant < 3; variant++) {
      assertThat(of(report, variant, Policy.EAR, Figure.WRITE_GAIN_PERCENT)).isBetween(5.0, 90.0);
    }
  }

  @Test
  void replicasAreSpreadEquallyOverRacks() throws ScenarioException {
    Report report = run("balance");
    for (Policy policy : new Policy[] {Policy.RR, Policy.EAR}) {
      assertThat(of(report, 0, policy, Figure.RACK_SHARE_LEAST_PERCENT)).isBetween(3.4, 4.7);
      assertThat(of(report, 0, policy, Figure.RACK_SHARE_MOST_PERCENT)).isBetween(5.3, 6.8);
    }
  }

  @Test
  void policiesMoveAsManyBlocksAsInTheory() throws ScenarioException {
    Report report = run("policies");
    int random = 1;
    Figure across = Figure.CROSS_RACK_BLOCKS_PER_STRIPE;
    Figure moved = Figure.RELOCATIONS_PER_STRIPE;
    assertThat(of(report, random, Policy.COPY, across)).isEqualTo(22.3, within(0.5));
    assertThat(of(report, random, Policy.RR, across)).isEqualTo(12.8, within(0.5));
    assertThat(of(report, random, Policy.EAR, across)).isBetween(3.0, 4.0);
    assertThat(of(report, random, Policy.POST_HOC, across)).isBetween(3.0, 8.0);
    assertThat(of(report, random, Policy.RR, moved)).isEqualTo(1.97, within(0.5));
    assertThat(of(report, random, Policy.RETENTION, moved)).isLessThan(0.2);
    assertThat(of(report, random, Policy.EAR, moved)).isZero();
    assertThat(of(report, random, Policy.EAR, Figure.TRIES_PER_STRIPE))
        .isEqualTo(11.8, within(0.6));
    assertThat(of(report, 3, Policy.PRELIMINARY_EAR, Figure.RELOCATING_STRIPES_PERCENT))
        .isBetween(85.0, 100.0);
  }

  @Test
  void theNameNodesPlacementLeavesTheCoreRacksShareToParity() throws ScenarioException {
    Report report = run("policies");
    for (int variant = 0; variant < report.variants.size(); variant++) {
      // m = 4, c = 1: one parity block in the core rack, three in others, and no other block moves.
      assertThat(of(report, variant, Policy.EAR_NAMENODE, Figure.CROSS_RACK_BLOCKS_PER_STRIPE))
          .isEqualTo(3, within(0.02));
      assertThat(of(report, variant, Policy.EAR_NAMENODE, Figure.RELOCATIONS_PER_STRIPE)).isZero();
    }
    assertThat(of(report, 1, Policy.EAR_NAMENODE, Figure.TRIES_PER_STRIPE)).isBetween(12.5, 14.5);
  }

  @Test
  void aFileOfOneStripeIsReadFromItsCoreRackUnderTheNameNodesPlacement() throws ScenarioException {
    Report report = run("read-balance");
    Figure share = Figure.READ_SHARE_MOST_PERCENT;
    assertThat(of(report, 0, Policy.EAR_NAMENODE, share)).isEqualTo(50, within(1e-9));
    assertThat(of(report, 0, Policy.RR, share)).isBetween(10.0, 30.0);
    assertThat(of(report, 3, Policy.EAR_NAMENODE, share)).isBetween(5.0, 6.5);
    assertThat(of(report, 3, Policy.RR, share)).isBetween(5.0, 5.6);
  }

  @Test
  void gainsAreSpreadOverRunsWithTheSameSeeds() throws ScenarioException {
    Report report = run("vary-racks-lost");
    Report.Comparison gain =
        report.variants.get(2).find(Policy.EAR_NAMENODE, Figure.ENCODE_GAIN_PERCENT);
    assertThat(gain.spread.min).isEqualTo(gain.spread.max).isEqualTo(gain.ours, within(1e-9));
    assertThat(gain.ours).isGreaterThan(gain(report, 0));
  }

  @Test
  void measuredConversionsBehindSlowLinksTakeTheSimulatedTime() throws ScenarioException {
    Report report = run("measured");
    for (int variant = 0; variant < report.variants.size(); variant++) {
      for (Policy policy : new Policy[] {Policy.ADOPTION, Policy.EAR_NAMENODE}) {
        Report.Entry entry = report.variants.get(variant);
        assertThat(entry.find(policy, Figure.CROSS_RACK_BLOCKS_PER_STRIPE).ofMeasured)
            .isBetween(0.8, 1.2);
        // Racks of one node are encoded about as fast as in turn, of two nodes as at once.
        if (entry.label.matches("RS-.*, 12 racks, in turn")) {
          assertThat(entry.find(policy, Figure.ENCODE_SECONDS).ofMeasured).isBetween(0.7, 1.3);
        } else if (entry.label.equals("RS-6-3, 6 racks, at once")) {
          assertThat(entry.find(policy, Figure.ENCODE_SECONDS).ofMeasured).isBetween(0.6, 1.7);
        }
      }
    }
    assertThat(Sheet.text(sheet -> ReportTable.show(report, sheet)))
        .contains("against a measurement");
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void everyScenarioCanBePlotted(String name) throws Exception {
    Report report = run(name);
    String table = Sheet.text(sheet -> ReportTable.show(report, sheet));
    assertThat(table).startsWith(report.title).doesNotContain("NaN");
    for (Report.Entry entry : report.variants) {
      assertThat(table).contains(entry.label);
    }

    String svg = ReportPlot.of(Arrays.asList(report, report)).render();
    assertThat(svg).contains("encoding throughput").doesNotContain("NaN");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));

    String text = ReportJson.of(Collections.singletonList(report)).toString();
    assertThat(text).doesNotContain("NaN");
    JsonObject json = JsonParser.parseString(text).getAsJsonArray().get(0).getAsJsonObject();
    assertThat(json.get("scenario").getAsString()).isEqualTo(name);
    JsonObject racks = json.getAsJsonObject("constants").getAsJsonObject("racks");
    assertThat(racks.get("source").getAsString()).isNotEmpty();
  }

  static Iterable<String> scenarios() {
    return Collections.unmodifiableList(Scenario.carried());
  }
}
