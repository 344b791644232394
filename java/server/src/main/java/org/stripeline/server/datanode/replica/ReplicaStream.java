// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.util.DataChecksum;

/** Reads the bytes of one replica from a position on, verified against its checksums. */
public interface ReplicaStream extends Closeable {
  /** Maximum bytes of a chunk, which has one checksum; Hadoop's default is 512. */
  int CHUNK_BYTES_MAX = 8 << 20;

  /**
   * Fills the buffer.
   *
   * @throws org.apache.hadoop.fs.ChecksumException if the replica is corrupt
   * @throws IOException if it cannot be read, or ends early
   */
  void readFully(ByteBuffer into) throws IOException;

  /** Returns the checksum type of the replica. */
  DataChecksum checksum();

  /**
   * Checks that checksums verify data, and that a buffer for each of them is not too large.
   *
   * @throws IOException if they do not
   */
  static void check(DataChecksum checksum, ExtendedBlock block) throws IOException {
    DataChecksum.Type type = checksum.getChecksumType();
    if (type != DataChecksum.Type.CRC32 && type != DataChecksum.Type.CRC32C
        || checksum.getBytesPerChecksum() > CHUNK_BYTES_MAX) {
      throw new IOException(
          "Cannot read "
              + block
              + ": it has a checksum of type "
              + type
              + " for each "
              + checksum.getBytesPerChecksum()
              + " bytes; the type must be CRC32 or CRC32C, and the bytes at most "
              + CHUNK_BYTES_MAX);
    }
  }

  @Override
  void close();
}
