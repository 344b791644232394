// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** The checksum of a replica's bytes, read from disk. */
public final class BlockChecksum {
  /** Number of bytes read. */
  public final long length;

  /** CRC-32C of these bytes. */
  public final int crc32c;

  /** Creates a checksum. */
  public BlockChecksum(long length, int crc32c) {
    this.length = length;
    this.crc32c = crc32c;
  }

  @Override
  public String toString() {
    return String.format("crc32c %08x of %d bytes", crc32c, length);
  }
}
