// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

/** What converting by adoption moves, and what other ways would move for the same files. */
final class ConversionTraffic {
  /** Groups that are converted by adoption. */
  long groups;

  /** Those that no nodes can take; nothing below counts them. */
  long unplaceable;

  /** Those whose racks can only be had against the rack rule. */
  long ruleBroken;

  /** Why the first unplaceable group is so, null if there is none. */
  String unplaceableReason;

  /** Data blocks that stay where they are, and their bytes. */
  double adoptedBlocks;

  double adoptedBytes;

  /** Data blocks that must be sent once, and their bytes. */
  double sentBlocks;

  double sentBytes;

  /** Bytes of parity. */
  double parityBytes;

  /** Bytes that cross racks, by way of converting. */
  double copyAcross;

  double raidAcross;
  double earAcross;
  double adoptAcross;

  /** Bytes that leave a node, by way of converting. */
  double copyNetwork;

  double adoptNetwork;

  /** The same for files that are copied into striped ones. */
  double stripeAcross;

  double stripeNetwork;

  void add(ConversionTraffic other) {
    groups += other.groups;
    unplaceable += other.unplaceable;
    ruleBroken += other.ruleBroken;
    unplaceableReason = unplaceableReason == null ? other.unplaceableReason : unplaceableReason;
    adoptedBlocks += other.adoptedBlocks;
    adoptedBytes += other.adoptedBytes;
    sentBlocks += other.sentBlocks;
    sentBytes += other.sentBytes;
    parityBytes += other.parityBytes;
    copyAcross += other.copyAcross;
    raidAcross += other.raidAcross;
    earAcross += other.earAcross;
    adoptAcross += other.adoptAcross;
    copyNetwork += other.copyNetwork;
    adoptNetwork += other.adoptNetwork;
    stripeAcross += other.stripeAcross;
    stripeNetwork += other.stripeNetwork;
  }
}
