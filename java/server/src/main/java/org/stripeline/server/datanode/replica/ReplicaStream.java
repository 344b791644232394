// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.replica;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.util.DataChecksum;

/** Reads the bytes of one replica from a position on, verified against its checksums. */
public interface ReplicaStream extends Closeable {

  /**
   * Fills the buffer.
   *
   * @throws org.apache.hadoop.fs.ChecksumException if the replica is corrupt
   * @throws IOException if it cannot be read, or ends early
   */
  void readFully(ByteBuffer into) throws IOException;

  /** Returns the checksum type of the replica. */
  DataChecksum checksum();

  @Override
  void close();
}
