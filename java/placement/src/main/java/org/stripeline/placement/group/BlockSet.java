// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

/** The k blocks that were grouped into a stripe. Immutable. */
public final class BlockSet {
  private final int coreRack;
  private final long[] blocks;
  private final int[] retained;

  BlockSet(int coreRack, long[] blocks, int[] retained) {
    this.coreRack = coreRack;
    this.blocks = blocks;
    this.retained = retained;
  }

  /** Returns the rack that holds a replica of each block. */
  public int coreRack() {
    return coreRack;
  }

  /** Returns the numbers of the blocks. */
  public long[] blocks() {
    return blocks.clone();
  }

  /**
   * Returns the node on which a replica of each block can be retained, in the order of the blocks.
   */
  public int[] retained() {
    return retained.clone();
  }
}
