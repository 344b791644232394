// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

import java.util.Collections;
import java.util.Map;

/** One set of constants of a scenario, and known values for it. Immutable. */
public final class Variant {
  private final String label;
  private final Constants constants;
  private final Settings settings;
  private final Map<Policy, Map<Figure, Double>> paper;
  private final Map<Policy, Map<Figure, Double>> measured;

  Variant(
      String label,
      Constants constants,
      Map<Policy, Map<Figure, Double>> paper,
      Map<Policy, Map<Figure, Double>> measured)
      throws ScenarioException {
    this.label = label;
    this.constants = constants;
    this.settings = new Settings(constants);
    this.paper = paper;
    this.measured = measured;
  }

  /** Returns its name in tables and plots. */
  public String label() {
    return label;
  }

  /** Returns its constants with their sources. */
  public Constants constants() {
    return constants;
  }

  /** Returns its validated constants. */
  public Settings settings() {
    return settings;
  }

  /** Returns the value of the paper for a policy, null if there is none. */
  public Double paper(Policy policy, Figure figure) {
    return paper.getOrDefault(policy, Collections.emptyMap()).get(figure);
  }

  /** Returns the value measured on a cluster under a policy, null if there is none. */
  public Double measured(Policy policy, Figure figure) {
    return measured.getOrDefault(policy, Collections.emptyMap()).get(figure);
  }
}
