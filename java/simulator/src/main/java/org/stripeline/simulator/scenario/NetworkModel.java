// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** How a transfer uses the ports of its route. */
public enum NetworkModel {
  /**
   * A transfer holds all ports; it takes them one after another from the receiver's end and holds
   * those that it has.
   */
  CIRCUIT_RECEIVER_FIRST,
  /**
   * A transfer holds all ports; it takes them one after another from the sender's end and holds
   * those that it has.
   */
  CIRCUIT_SENDER_FIRST,
  /** A transfer holds all ports; it takes them at once, as soon as all are free. */
  CIRCUIT_FIRST_FIT,
  /** Segments hold one port at a time. */
  STORE_AND_FORWARD
}
