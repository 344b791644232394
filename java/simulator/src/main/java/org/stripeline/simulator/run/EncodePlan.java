// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

/** What one encoding does. Nodes are given for data blocks first, then for parity. */
final class EncodePlan {
  final int encoder;

  /** Where the encoder reads each data block. */
  final int[] sources;

  /** Where each block of the stripe is in the end. */
  final int[] layout;

  /** Which data blocks are sent to their place; the others are there. */
  final boolean[] isSent;

  /** How many blocks must move so that the rack rule holds, moved or only counted. */
  final int relocations;

  /** Whether the rack rule is broken where the blocks are in the end. */
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
