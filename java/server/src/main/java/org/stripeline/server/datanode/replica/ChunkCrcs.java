// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.util.CrcComposer;
import org.apache.hadoop.util.DataChecksum;

/**
 * Composes the CRCs of a replica's chunks to the CRC of all its bytes, like {@link CrcComposer}.
 * Appending a chunk multiplies by a constant and adds. With lookup tables this takes a tenth of the
 * time, which matters since a replica of 128 MiB has 262,144 chunks.
 */
final class ChunkCrcs {
  private static final int READ_BYTES = 64 << 10;

  private final DataChecksum.Type type;
  private final int chunk;

  /** Products of the constant with each value of each byte of a CRC, lowest byte first. */
  private final int[][] products = new int[Integer.BYTES][256];

  /**
   * Creates a composer.
   *
   * @param type type of the CRCs
   * @param chunk bytes of a chunk, except the last
   */
  ChunkCrcs(DataChecksum.Type type, int chunk) throws IOException {
    this.type = type;
    this.chunk = chunk;
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      int product = compose(1 << bit, 0, chunk);
      int[] table = products[bit / 8];
      int value = 1 << bit % 8;
      for (int lower = 0; lower < value; lower++) {
        table[value + lower] = table[lower] ^ product;
      }
    }
  }

  /** Returns the CRC of the next {@code bytes} bytes, whose chunk CRCs are read from the stream. */
  int compose(DataInputStream crcs, long bytes) throws IOException {
    byte[] read = new byte[READ_BYTES];
    ByteBuffer buffer = ByteBuffer.wrap(read);
    int crc = 0;
    for (long left = bytes / chunk * Integer.BYTES; left > 0; left -= buffer.limit()) {
      buffer.clear().limit((int) Math.min(left, read.length));
      crcs.readFully(read, 0, buffer.limit());
      while (buffer.hasRemaining()) {
        crc =
            products[0][crc & 255]
                ^ products[1][crc >>> 8 & 255]
                ^ products[2][crc >>> 16 & 255]
                ^ products[3][crc >>> 24]
                ^ buffer.getInt();
      }
    }
    return bytes % chunk == 0 ? crc : compose(crc, crcs.readInt(), bytes % chunk);
  }

  private int compose(int crc, int next, long nextBytes) throws IOException {
    CrcComposer composer = CrcComposer.newCrcComposer(type, chunk);
    composer.update(crc, chunk);
    composer.update(next, nextBytes);
    return ByteBuffer.wrap(composer.digest()).getInt();
  }
}
