// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.stripeline.simulator.run.RunResult;
import org.stripeline.simulator.run.Simulation;
import org.stripeline.simulator.scenario.Labels;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.Scenario;
import org.stripeline.simulator.scenario.ScenarioException;
import org.stripeline.simulator.scenario.Variant;

/** Runs all variants and policies of a scenario. */
public final class Experiment {
  private Experiment() {}

  /**
   * Runs each variant and policy, one after another, with the number of seeds of the scenario.
   *
   * @param firstSeed the seed of the first run of each; the next runs use the following numbers
   * @param progress receives one line for each variant and policy that is done
   * @throws ScenarioException if a variant has too little room for its stripes
   */
  public static Report run(Scenario scenario, long firstSeed, Consumer<String> progress)
      throws ScenarioException {
    Report report = new Report(scenario, firstSeed);
    for (Variant variant : scenario.variants()) {
      List<Result> results = new ArrayList<>();
      for (Policy policy : scenario.policies()) {
        List<RunResult> runs = new ArrayList<>();
        for (int i = 0; i < scenario.seeds(); i++) {
          runs.add(Simulation.run(variant.settings(), policy, firstSeed + i));
        }
        Result result = new Result(policy, runs);
        results.add(result);
        progress.accept(
            scenario.name()
                + ", "
                + variant.label()
                + ", "
                + Labels.of(policy)
                + ": done, digest "
                + result.digest);
      }
      report.add(variant, results);
    }
    return report;
  }
}
