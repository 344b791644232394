// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;

/**
 * Reads all replicas of all blocks of a file, each from its own DataNode and through its checksums,
 * and compares their CRC with the expected one.
 *
 * <p>Hadoop's checksum of a file is computed from the stored checksums of one replica of each
 * block, so it covers neither the other replicas nor the bytes on the disks.
 */
public final class ReadBackCheck {
  private static final int BUFFER_BYTES = 1 << 20;

  private final DistributedFileSystem fs;
  private final DataChecksum.Type type;
  private final ParityCheck.Watcher watcher;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

  private ReadBackCheck(
      DistributedFileSystem fs, DataChecksum.Type type, ParityCheck.Watcher watcher) {
    this.fs = fs;
    this.type = type;
    this.watcher = watcher;
  }

  /**
   * Checks a file all of whose replicas have been reported.
   *
   * @param sum composite CRC that the file should have
   * @throws IOException if a replica cannot be read, or has other bytes
   */
  public static void check(
      DistributedFileSystem fs, String path, FileChecksum sum, ParityCheck.Watcher watcher)
      throws IOException {
    DataChecksum.Type type = sum.getChecksumOpt().getChecksumType();
    int wanted = ByteBuffer.wrap(sum.getBytes()).getInt();
    int found = new ReadBackCheck(fs, type, watcher).sum(path);
    if (found != wanted) {
      throw new IOException(
          String.format(
              "Cannot use %s: read back its CRC is %08x instead of %08x", path, found, wanted));
    }
  }

  private int sum(String path) throws IOException {
    DataChecksum sum = DataChecksum.newDataChecksum(type, BUFFER_BYTES);
    for (LocatedBlock block :
        fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks()) {
      check(block, sum);
    }
    return (int) sum.getValue();
  }

  /** Reads all replicas of a block, and adds the first one to the CRC of the file. */
  private void check(LocatedBlock block, DataChecksum whole) throws IOException {
    DatanodeInfo[] nodes = block.getLocations();
    if (nodes.length == 0) {
      throw new IOException(
          "Cannot check block " + block.getBlock().getBlockName() + ": it is on no DataNode");
    }
    int first = read(block, nodes[0], whole);
    for (int i = 1; i < nodes.length; i++) {
      int other = read(block, nodes[i], null);
      if (other != first) {
        throw new IOException(
            String.format(
                "Cannot use block %s: its CRC is %08x at %s and %08x at %s",
                block.getBlock().getBlockName(),
                first,
                nodes[0].getXferAddr(),
                other,
                nodes[i].getXferAddr()));
      }
    }
  }

  private int read(LocatedBlock block, DatanodeInfo node, DataChecksum whole) throws IOException {
    DataChecksum sum = DataChecksum.newDataChecksum(type, BUFFER_BYTES);
    try (ReplicaReader replica = new ReplicaReader(fs, block, node)) {
      while (replica.left() > 0) {
        watcher.reads((int) Math.min(BUFFER_BYTES, replica.left()));
        buffer.clear();
        replica.read(buffer);
        sum.update(buffer.array(), 0, buffer.position());
        if (whole != null) {
          whole.update(buffer.array(), 0, buffer.position());
        }
      }
    }
    return (int) sum.getValue();
  }
}
