// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

/** Why a file is left as it is. */
enum LeaveReason {
  /** There is nothing to store. */
  EMPTY("empty"),

  /** It is erasure-coded already. */
  CODED("already erasure-coded"),

  /** Somebody writes it. */
  OPEN("being written"),

  /** Its writers rely on hflush or hsync, which do nothing on erasure-coded files. */
  SYNCED("written with hsync: needs replication"),

  /** It is written to memory first, which erasure-coded files cannot be. */
  LAZY_PERSIST("storage policy LAZY_PERSIST"),

  /** A block has no replica that the NameNode knows of. */
  UNREADABLE("a block has no replica now"),

  /** One replica takes less than any code. */
  ONE_REPLICA("replication 1: coding would take more"),

  /** No code stores it in fewer bytes than its replicas. */
  TOO_SMALL("too small to save anything");

  private final String label;

  LeaveReason(String label) {
    this.label = label;
  }

  /** Returns the words for people. */
  String label() {
    return label;
  }
}
