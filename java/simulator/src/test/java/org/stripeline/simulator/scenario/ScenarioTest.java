// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioTest {
  private static final String HEAD =
      "{\"title\": \"t\", \"about\": \"a\", \"base\": \"dsn2015\", \"seeds\": 2,"
          + " \"policies\": [\"rr\", \"post-hoc\"], ";

  @TempDir Path directory;

  private Scenario read(String text) throws IOException, ScenarioException {
    Path file = directory.resolve("mine.json");
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    return Scenario.read(file);
  }

  private void refuses(String text, String... reasons) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContainingAll(reasons);
  }

  @Test
  void everyScenarioCarriedCanBeReadAndHasASourceForEachConstant() throws ScenarioException {
    assertThat(Scenario.carried()).isNotEmpty();
    for (String name : Scenario.carried()) {
      for (Scenario scenario : new Scenario[] {Scenario.carried(name), Scenario.quick(name)}) {
        assertThat(scenario.variants()).isNotEmpty();
        for (Variant variant : scenario.variants()) {
          Constants constants = variant.constants();
          assertThat(constants.names()).allMatch(key -> !constants.source(key).isEmpty());
        }
      }
    }
  }

  @Test
  void aFileNamesItsConstantsAndVariants() throws Exception {
    Scenario scenario =
        read(
            HEAD
                + "\"constants\": {\"racks\": {\"value\": 30, \"source\": \"ours\"}},"
                + " \"variants\": [{\"label\": \"as is\"}, {\"label\": \"wide\","
                + " \"set\": {\"data_blocks\": 17}, \"paper\": {\"post-hoc\":"
                + " {\"encode_gain_percent\": 12.5}}, \"measured\": {\"rr\":"
                + " {\"encode_seconds\": 3}}}], \"plot\": [\"encode_seconds\"]}");
    assertThat(scenario.name()).isEqualTo("mine");
    assertThat(scenario.policies()).containsExactly(Policy.RR, Policy.POST_HOC);
    assertThat(scenario.seeds()).isEqualTo(2);
    assertThat(scenario.tolerancePoints()).isNaN();
    Variant wide = scenario.variants().get(1);
    assertThat(wide.settings().racks).isEqualTo(30);
    assertThat(wide.settings().shape.data()).isEqualTo(17);
    assertThat(wide.constants().source("racks")).isEqualTo("ours");
    assertThat(wide.constants().source("data_blocks")).isEqualTo("variant wide");
    assertThat(wide.paper(Policy.POST_HOC, Figure.ENCODE_GAIN_PERCENT)).isEqualTo(12.5);
    assertThat(wide.paper(Policy.RR, Figure.ENCODE_GAIN_PERCENT)).isNull();
    assertThat(wide.measured(Policy.RR, Figure.ENCODE_SECONDS)).isEqualTo(3);
    assertThat(wide.measured(Policy.POST_HOC, Figure.ENCODE_GAIN_PERCENT)).isNull();
    assertThat(scenario.plotted()).containsExactly(Figure.ENCODE_SECONDS);
    assertThat(scenario.variants().get(0).settings().shape.data()).isEqualTo(10);
  }

  @Test
  void refusesUnknownKeys() {
    String variants = "\"variants\": [{\"label\": \"x\"}]}";
    refuses(HEAD + "\"colour\": 1, " + variants, "key colour is not one of");
    refuses(HEAD.replace("post-hoc", "magic") + variants, "Cannot use magic", "retention");
    refuses(HEAD.replace("\"dsn2015\"", "\"other\"") + variants, "the jar has none with that name");
    refuses(
        HEAD + "\"constants\": {\"rakcs\": {\"value\": 1, \"source\": \"s\"}}, " + variants,
        "no constants named rakcs");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"set\": {\"rakcs\": 1}}]}",
        "Cannot change constant rakcs");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"paper\": {\"rr\": {\"joy\": 1}}}]}",
        "some are unknown");
    refuses(HEAD + "\"plot\": [\"joy\"], " + variants, "Cannot use joy");
    assertThatThrownBy(() -> Scenario.carried("nonesuch"))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("neither a file nor one of a1-code");
  }

  @Test
  void refusesConstantsWithoutSourceOrOutOfRange() {
    String variants = "\"variants\": [{\"label\": \"x\"}]}";
    refuses(HEAD + "\"constants\": {\"racks\": 5}, " + variants, "\"value\": ..., \"source\": ...");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"set\": {\"racks\": 1}}]}",
        "constant racks",
        "from 2.0 to");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"set\": {\"racks\": 4.5}}]}", "whole number");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"set\": {\"racks\": \"many\"}}]}",
        "must be a number");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"set\": {\"network\": \"string\"}}]}",
        "constant network",
        "store-and-forward");
    refuses(
        HEAD
            + "\"variants\": [{\"label\": \"x\", \"set\": {\"nodes_per_rack\": 1,"
            + " \"racks\": 13}}]}",
        "a stripe of 14 blocks needs as many nodes, there are 13");
    refuses(
        HEAD + "\"variants\": [{\"label\": \"x\", \"set\": {\"injected_mb_per_s\": 125}}]}",
        "takes all of link_nominal_mb_per_s");
  }

  @Test
  void refusesInvalidScenarios() {
    refuses("[1, 2", "Cannot read scenario");
    refuses("[]", "Cannot read scenario");
    refuses(HEAD + "\"variants\": []}", "no variants");
    refuses(HEAD + "\"variants\": 3}", "variants must be a list");
    refuses("{\"title\": \"t\"}", "key about is missing");
    assertThatThrownBy(() -> Scenario.read(directory.resolve("absent.json")))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("Cannot read scenario");
  }
}
