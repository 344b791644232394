// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

/** Who writes the blocks that are there before the simulation begins. */
public enum WriterChoice {
  /** Another random node for each block. */
  RANDOM,
  /** A random node of each rack in turn, so that each rack's nodes write as many blocks. */
  RACKS_IN_TURN,
  /** A random node for each stripe's worth of blocks, as the task that writes a file. */
  PER_FILE
}
