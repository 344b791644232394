// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

/** The k blocks of a stripe that was found among others. Immutable. */
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

  /** Returns the nodes on which a replica of each block, in that order, can stay. */
  public int[] retained() {
    return retained.clone();
  }
}
