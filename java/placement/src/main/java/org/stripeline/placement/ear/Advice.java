// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import java.util.Arrays;

/** Where encoding-aware replication wants the replicas of a new block. Immutable. */
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

  /** Returns the nodes, that in the core rack first: the writer, if it could be. */
  public int[] nodes() {
    return nodes.clone();
  }

  /** Returns the core rack of the block's stripe. */
  public int coreRack() {
    return coreRack;
  }

  /** Returns which block of its stripe this is, 0 to k - 1. */
  public int position() {
    return position;
  }

  /** Returns how many candidates were drawn until one was found, at least 1. */
  public int tries() {
    return tries;
  }

  /** Returns whether one of the replicas can stay when the stripe is encoded, as things are. */
  public boolean canStay() {
    return canStay;
  }

  @Override
  public String toString() {
    return "block " + position + " on " + Arrays.toString(nodes) + ", core rack " + coreRack;
  }
}
