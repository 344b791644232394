// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.Scenario;
import org.stripeline.simulator.scenario.ScenarioException;
import org.stripeline.simulator.scenario.Settings;

class SimulationTest {
  @TempDir Path directory;

  private static Settings settings(String scenario, int variant) throws ScenarioException {
    return Scenario.quick(scenario).variants().get(variant).settings();
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void theSameSeedGivesTheSameDigest(Policy policy) throws ScenarioException {
    Settings settings = settings("failures", 1);
    RunResult first = Simulation.run(settings, policy, 5);
    RunResult again = Simulation.run(settings, policy, 5);
    RunResult other = Simulation.run(settings, policy, 6);

    assertThat(again.digest).isEqualTo(first.digest);
    assertThat(again.encodeSeconds).isEqualTo(first.encodeSeconds);
    assertThat(again.events).isEqualTo(first.events);
    assertThat(other.digest).isNotEqualTo(first.digest);
  }

  @Test
  void policiesAndModelsDiffer() throws ScenarioException {
    Set<String> digests = new HashSet<>();
    for (Policy policy : Policy.values()) {
      digests.add(Simulation.run(settings("models", 0), policy, 1).digest);
    }
    digests.add(Simulation.run(settings("models", 2), Policy.EAR, 1).digest);
    digests.add(Simulation.run(settings("models", 4), Policy.EAR, 1).digest);
    digests.add(Simulation.run(settings("models", 5), Policy.EAR, 1).digest);
    assertThat(digests).hasSize(Policy.values().length + 3);
  }

  @Test
  void anEncodingAloneTakesTheTimeOfItsSteps() throws ScenarioException {
    // One node per rack, (6,4), two replicas: an encoder of EAR reads 4 blocks from its own disk,
    // one after another, computes, and writes 2 parity blocks, limited by its link; 8 stripes.
    Settings settings = Scenario.carried("a1-code").variants().get(0).settings();
    RunResult outcome = Simulation.run(settings, Policy.EAR, 1);
    double stripe = 4 * 64.0 / 138 + 4 + 64.0 / 72;
    double least = 8 * stripe + 7 * 3.5;
    assertThat(outcome.encodeSeconds).isBetween(least, 1.35 * least);
    assertThat(outcome.crossRackReadsPerStripe).isZero();
    assertThat(outcome.localReadsPerStripe).isEqualTo(4);
    assertThat(outcome.stripesEncoded).isEqualTo(96);
  }

  @Test
  void partsOfAStripeAreReadComputedAndSentAtTheSameTime() throws Exception {
    RunResult inTurn = Simulation.run(measured("in turn"), Policy.ADOPTION, 1);
    Settings settings = measured("at once");
    RunResult atOnce = Simulation.run(settings, Policy.ADOPTION, 1);

    double computed =
        settings.computeSeconds * (settings.encodingParts - 1) / settings.encodingParts;
    assertThat(settings.encodingParts).isEqualTo(16);
    assertThat(atOnce.encodeSeconds).isBetween(computed, inTurn.encodeSeconds - computed / 2);
    // All bytes of the blocks are sent, whatever the number of parts.
    assertThat(atOnce.crossRackReadsPerStripe).isEqualTo(inTurn.crossRackReadsPerStripe);
    assertThat(atOnce.crossRackGb).isEqualTo(inTurn.crossRackGb);
  }

  private static Settings measured(String steps) throws ScenarioException {
    return Scenario.carried("measured").variants().stream()
        .filter(variant -> variant.label().equals("RS-6-3, 6 racks, " + steps))
        .findFirst()
        .orElseThrow(AssertionError::new)
        .settings();
  }

  @Test
  void anIdleClusterAnswersWritesInTheTimeOfOneTransferAndTheOverhead() throws ScenarioException {
    Settings settings = settings("a2-writes", 0);
    RunResult outcome = Simulation.run(settings, Policy.RR, 1);
    assertThat(outcome.writeSecondsBefore).isBetween(64.0 / 72 + 0.33 - 1e-9, 1.6);
  }

  @Test
  void dataThatIsReadAndWrittenIsCounted() throws ScenarioException {
    Settings settings = settings("models", 0);
    RunResult outcome = Simulation.run(settings, Policy.COPY, 1);
    double blocks = outcome.crossRackReadsPerStripe * outcome.stripesEncoded;
    assertThat(outcome.crossRackGb.get("encode-read"))
        .isEqualTo(blocks * settings.blockBytes / 1e9, within(1e-6));
    assertThat(outcome.crossRackGb.get("repair")).isZero();
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void deadNodesAreRepairedAndNothingIsLost(Policy policy) throws ScenarioException {
    Settings settings = settings("failures", 1);
    long died = 0;
    long repaired = 0;
    for (long seed = 1; seed <= 3; seed++) {
      RunResult outcome = Simulation.run(settings, policy, seed);
      assertThat(outcome.stripesEncoded).isEqualTo(settings.stripes);
      assertThat(outcome.stripesSkipped).isZero();
      assertThat(outcome.failures.blocksLost).isZero();
      died += outcome.failures.nodesDied;
      repaired += outcome.failures.blocksRepaired;
    }
    assertThat(died).isPositive();
    assertThat(repaired).isPositive();
  }

  @Test
  void refusesAClusterWithoutRoomForStripes() throws Exception {
    Path file = directory.resolve("narrow.json");
    String text =
        "{\"title\": \"t\", \"about\": \"a\", \"base\": \"dsn2015\", \"seeds\": 1, \"policies\":"
            + " [\"ear\"], \"variants\": [{\"label\": \"narrow\", \"set\": {\"racks\": 3}}]}";
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    Settings settings = Scenario.read(file).variants().get(0).settings();
    assertThatThrownBy(() -> Simulation.run(settings, Policy.EAR, 1))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("raise blocks_per_rack_max or racks");
  }

  @Test
  void withoutFailuresRelocationLeavesTheRackRuleKept() throws ScenarioException {
    for (Policy policy : new Policy[] {Policy.RR, Policy.RETENTION, Policy.EAR, Policy.ADOPTION}) {
      RunResult outcome = Simulation.run(settings("failures", 0), policy, 1);
      assertThat(outcome.rulesBrokenShare).as("%s", policy).isZero();
      assertThat(outcome.failures.nodesDied).isZero();
    }
  }
}
