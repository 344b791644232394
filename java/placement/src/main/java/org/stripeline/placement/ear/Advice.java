// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import java.util.Arrays;

/** The nodes that encoding-aware replication selects for the replicas of a new block. Immutable. */
public final class Advice {
  private final int[] nodes;
  private final int coreRack;
  private final int position;
  private final int tries;
  private final boolean canStay;

  Advice(int[] nodes, int coreRack, int position, int tries, boolean canStay) {
    this.nodes = nodes;
    this.coreRack = coreRack;
    this.position = position;
    this.tries = tries;
    this.canStay = canStay;
  }

  /** Returns the nodes; the first one is in the core rack, and is the writer if possible. */
  public int[] nodes() {
    return nodes.clone();
  }

  /** Returns the core rack of the block's stripe. */
  public int coreRack() {
    return coreRack;
  }

  /** Returns the index of the block in its stripe, 0 to k - 1. */
  public int position() {
    return position;
  }

  /** Returns how many candidates were drawn until one was accepted, at least 1. */
  public int tries() {
    return tries;
  }

  /**
   * Returns whether one of the replicas can be retained when the stripe is encoded, given the
   * topology at placement.
   */
  public boolean canStay() {
    return canStay;
  }

  @Override
  public String toString() {
    return "block " + position + " on " + Arrays.toString(nodes) + ", core rack " + coreRack;
  }
}
