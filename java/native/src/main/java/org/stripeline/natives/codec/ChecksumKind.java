// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

/** A 32-bit cyclic redundancy check that HDFS stores with its data. */
public enum ChecksumKind {
  /** CRC-32C (Castagnoli), HDFS's default. */
  CRC32C(0),
  /** CRC-32 (IEEE 802.3), as in zip and gzip. */
  CRC32(1);

  private final int id;

  ChecksumKind(int id) {
    this.id = id;
  }

  /** Returns the number of this kind in the native interface. */
  int id() {
    return id;
  }
}
