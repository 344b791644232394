// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** A scenario cannot be read or makes no sense; the message says where and what to do. */
public final class ScenarioException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for whoever wrote the scenario. */
  public ScenarioException(String message) {
    super(message);
  }

  /** Creates an exception with a message for whoever wrote the scenario, and its cause. */
  public ScenarioException(String message, Throwable cause) {
    super(message, cause);
  }
}
