// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** How a transfer uses the ports of its route. */
public enum NetworkModel {
  /** Holds all; takes them one after another from the receiver's end and keeps what it has. */
  CIRCUIT_RECEIVER_FIRST,
  /** Holds all; takes them one after another from the sender's end and keeps what it has. */
  CIRCUIT_SENDER_FIRST,
  /** Holds all; takes them at once, and whoever finds all free may go. */
  CIRCUIT_FIRST_FIT,
  /** Segments hold one port at a time. */
  STORE_AND_FORWARD
}
