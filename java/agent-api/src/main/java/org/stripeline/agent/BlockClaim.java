// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/**
 * What a replica's file of checksums says its bytes are: the CRC of all of them, composed of those
 * of the chunks. The bytes themselves were not read for it.
 */
public final class BlockClaim {
  /** The kind of checksum, a name of Hadoop's {@code DataChecksum.Type}. */
  public final String type;

  /** The CRC of that kind over all bytes. */
  public final int crc;

  /** Says what is claimed. */
  public BlockClaim(String type, int crc) {
    this.type = type;
    this.crc = crc;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockClaim
        && ((BlockClaim) other).type.equals(type)
        && ((BlockClaim) other).crc == crc;
  }

  @Override
  public int hashCode() {
    return 31 * type.hashCode() + crc;
  }

  @Override
  public String toString() {
    return String.format("%s %08x", type, crc);
  }
}
