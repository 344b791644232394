// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** Which node of the core rack encodes. */
public enum EncoderChoice {
  /** Always the same for one encoding process. */
  FIXED,
  /** For each stripe the one that the plan names: it has the most of the stripe's replicas. */
  PLANNED
}
