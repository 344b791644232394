// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

/**
 * The CRC of all bytes of a replica according to its checksum file, composed from the CRCs of the
 * chunks. The bytes themselves are not read for it.
 */
public final class BlockClaim {
  /** The checksum type, a name of Hadoop's {@code DataChecksum.Type}. */
  public final String type;

  /** The CRC of that type over all bytes. */
  public final int crc;

  /** Creates a claim. */
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
