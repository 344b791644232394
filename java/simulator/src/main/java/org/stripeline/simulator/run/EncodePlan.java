// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

/** The plan of one encoding. Nodes are given for data blocks first, then for parity. */
final class EncodePlan {
  final int encoder;

  /** The node from which the encoder reads each data block. */
  final int[] sources;

  /** The final node of each block of the stripe. */
  final int[] layout;

  /** Whether each data block is sent to its final node; the others are already there. */
  final boolean[] isSent;

  /**
   * The number of blocks that must move to satisfy the rack rule, whether they are moved or only
   * counted.
   */
  final int relocations;

  /** Whether the final layout violates the rack rule. */
  final boolean breaksRule;

  EncodePlan(
      int encoder,
      int[] sources,
      int[] layout,
      boolean[] isSent,
      int relocations,
      boolean breaksRule) {
    this.encoder = encoder;
    this.sources = sources;
    this.layout = layout;
    this.isSent = isSent;
    this.relocations = relocations;
    this.breaksRule = breaksRule;
  }
}
