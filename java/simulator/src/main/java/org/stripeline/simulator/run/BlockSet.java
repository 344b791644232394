// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

/** The k blocks that were grouped into a stripe. Immutable. */
final class BlockSet {
  private final int coreRack;
  private final long[] blocks;
  private final int[] retained;

  BlockSet(int coreRack, long[] blocks, int[] retained) {
    this.coreRack = coreRack;
    this.blocks = blocks;
    this.retained = retained;
  }

  /** Returns the rack that holds a replica of each block. */
  int coreRack() {
    return coreRack;
  }

  /** Returns the numbers of the blocks. */
  long[] blocks() {
    return blocks.clone();
  }

  /**
   * Returns the node on which a replica of each block can be retained, in the order of the blocks.
   */
  int[] retained() {
    return retained.clone();
  }
}
