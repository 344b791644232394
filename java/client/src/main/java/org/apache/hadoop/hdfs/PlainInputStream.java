// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/**
 * Hadoop's stream for a replicated file, with a check that an erasure-coded file has not replaced
 * the file.
 *
 * <p>Hadoop's own stream looks up unknown blocks by path and reads a block group as if it were a
 * block: positional reads then return bytes of internal block 0.
 */
class PlainInputStream extends DFSInputStream {
  PlainInputStream(DFSClient client, String src, boolean verifyChecksum, LocatedBlocks blocks)
      throws IOException {
    super(client, src, verifyChecksum, blocks);
  }

  @Override
  protected LocatedBlock getBlockAt(long offset) throws IOException {
    LocatedBlock block = super.getBlockAt(offset);
    if (block instanceof LocatedStripedBlock) {
      throw replaced(getSrc());
    }
    return block;
  }

  /** Returns the exception for a stream whose file was replaced by a file with another layout. */
  static IOException replaced(String src) {
    return new IOException(
        "Cannot read "
            + src
            + " any further: another file has replaced it since it was opened; open it"
            + " again");
  }

  @Override
  public int read(long position, byte[] buffer, int offset, int length) throws IOException {
    return checked(position, super.read(position, buffer, offset, length));
  }

  @Override
  public int read(long position, ByteBuffer buffer) throws IOException {
    return checked(position, super.read(position, buffer));
  }

  /**
   * Checks the type of the blocks that were read. They are already cached, so this does not call
   * the NameNode.
   */
  private int checked(long position, int count) throws IOException {
    long end = position + count;
    long at = position;
    while (at < end) {
      LocatedBlock block = getBlockAt(at);
      long next = block.getStartOffset() + block.getBlockSize();
      // The last block of a file that is being written may be longer than the NameNode reports.
      at = next > at ? next : end;
    }
    return count;
  }
}
