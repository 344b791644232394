// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

/** A 32-bit cyclic redundancy check that HDFS keeps beside its data. */
public enum ChecksumKind {
  /** CRC-32C (Castagnoli), HDFS's default. */
  CRC32C(0),
  /** CRC-32 (IEEE 802.3), as zip and gzip have it. */
  CRC32(1);

  private final int id;

  ChecksumKind(int id) {
    this.id = id;
  }

  /** Returns the number that stands for this kind in the native interface. */
  int id() {
    return id;
  }
}
