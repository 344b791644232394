// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/** The checksum of a replica's bytes, read at rest. */
public final class BlockChecksum {
  /** Bytes read. */
  public final long length;

  /** CRC-32C over all of them. */
  public final int crc32c;

  /** Says what was read. */
  public BlockChecksum(long length, int crc32c) {
    this.length = length;
    this.crc32c = crc32c;
  }

  @Override
  public String toString() {
    return String.format("crc32c %08x of %d bytes", crc32c, length);
  }
}
