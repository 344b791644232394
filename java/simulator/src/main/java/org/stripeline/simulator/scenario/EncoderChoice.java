// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** The node of the core rack that encodes. */
public enum EncoderChoice {
  /** Always the node of the encoding process. */
  FIXED,
  /**
   * For each stripe the node that the plan selects: the one with the most replicas of the stripe.
   */
  PLANNED
}
