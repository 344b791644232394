// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/**
 * Hadoop's stream over a replicated file, but one that notices when the file was replaced by an
 * erasure-coded one.
 *
 * <p>Hadoop's own stream asks by path for blocks that it does not know yet, and reads a block group
 * as if it were a block: positional reads then return bytes of internal block 0.
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

  /** What a stream throws that knows the layout of a file that is not there any more. */
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

  /** The blocks that were read are known by now, so this asks the NameNode nothing. */
  private int checked(long position, int count) throws IOException {
    long end = position + count;
    long at = position;
    while (at < end) {
      LocatedBlock block = getBlockAt(at);
      long next = block.getStartOffset() + block.getBlockSize();
      // The last block of a file that is being written may be longer than the NameNode knows.
      at = next > at ? next : end;
    }
    return count;
  }
}
