// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/**
 * Thrown if a scenario cannot be read or is not valid; the message has the location and the remedy.
 */
public final class ScenarioException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the author of the scenario. */
  public ScenarioException(String message) {
    super(message);
  }

  /** Creates an exception with a message for the author of the scenario, and its cause. */
  public ScenarioException(String message, Throwable cause) {
    super(message, cause);
  }
}
