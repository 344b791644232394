// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

/**
 * The data that conversion by adoption moves, and that other methods would move for the same files.
 */
final class ConversionTraffic {
  /** Groups that are converted by adoption. */
  long groups;

  /** Groups for which there are no suitable nodes; other fields exclude their data. */
  long unplaceable;

  /** Groups that can be placed only with a violation of the rack rule. */
  long ruleBroken;

  /** Why the first of these groups cannot be placed, null if there is none. */
  String unplaceableReason;

  /** Data blocks of which a replica is retained, and their bytes. */
  double adoptedBlocks;

  double adoptedBytes;

  /** Data blocks that must be sent once, and their bytes. */
  double sentBlocks;

  double sentBytes;

  /** Bytes of parity blocks. */
  double parityBytes;

  /** Bytes that cross racks, for each method of conversion. */
  double copyAcross;

  double raidAcross;
  double earAcross;
  double adoptAcross;

  /** Bytes that leave a node, for each method of conversion. */
  double copyNetwork;

  double adoptNetwork;

  /** The same for files that are copied into striped ones. */
  double stripeAcross;

  double stripeNetwork;

  /** Adds the groups of files that are left, because some of their groups cannot be placed. */
  void addUnplaceable(ConversionTraffic other) {
    unplaceable += other.unplaceable;
    unplaceableReason = unplaceableReason == null ? other.unplaceableReason : unplaceableReason;
  }

  void add(ConversionTraffic other) {
    addUnplaceable(other);
    groups += other.groups;
    ruleBroken += other.ruleBroken;
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
