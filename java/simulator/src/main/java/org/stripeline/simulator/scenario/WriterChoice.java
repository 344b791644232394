// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** Which nodes write the blocks that exist before the simulation begins. */
public enum WriterChoice {
  /** A random node for each block. */
  RANDOM,
  /**
   * A random node of each rack in turn, so that the nodes of all racks write equally many blocks.
   */
  RACKS_IN_TURN,
  /** A random node for every k blocks, like the task that writes a file. */
  PER_FILE
}
