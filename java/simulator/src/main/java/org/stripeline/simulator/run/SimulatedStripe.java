// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

/**
 * Blocks that will be encoded together, and the nodes of all blocks of the stripe after encoding.
 */
final class SimulatedStripe {
  /** Stands for "in any rack". */
  static final int ANYWHERE = -1;

  private final int[] blocks;
  private final int encodingRack;

  /** The nodes of data and parity blocks, in order; null until the stripe is encoded. */
  private int[] layout;

  private int postponed;

  SimulatedStripe(int[] blocks, int encodingRack) {
    this.blocks = blocks;
    this.encodingRack = encodingRack;
  }

  /** Returns the rack whose encoders must encode it, {@link #ANYWHERE} if any may. */
  int encodingRack() {
    return encodingRack;
  }

  int[] blocks() {
    return blocks;
  }

  int[][] replicas(Blocks all) {
    int[][] replicas = new int[blocks.length][];
    for (int i = 0; i < blocks.length; i++) {
      replicas[i] = all.replicas(blocks[i]);
    }
    return replicas;
  }

  /** Counts a failed attempt to encode; returns the number of failed attempts. */
  int postponed() {
    return ++postponed;
  }

  boolean isEncoded() {
    return layout != null;
  }

  int[] layout() {
    return layout;
  }

  void encoded(int[] nodes) {
    layout = nodes;
  }
}
