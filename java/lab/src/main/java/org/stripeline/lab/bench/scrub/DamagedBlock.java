// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;

/** Damages a block as no checksum shows. */
final class DamagedBlock {
  private DamagedBlock() {}

  /** Changes a byte of a block file, and the checksum of its chunk so that it fits. */
  static void damage(Path block) throws IOException {
    Path checksums = checksums(block);
    try (RandomAccessFile data = new RandomAccessFile(block.toFile(), "rw");
        RandomAccessFile meta = new RandomAccessFile(checksums.toFile(), "rw")) {
      DataChecksum checksum = BlockMetadataHeader.readHeader(meta).getChecksum();
      byte[] chunk = new byte[checksum.getBytesPerChecksum()];
      data.readFully(chunk);
      chunk[0] ^= 1;
      data.seek(0);
      data.write(chunk);
      byte[] sum = new byte[checksum.getChecksumSize()];
      checksum.calculateChunkedSums(ByteBuffer.wrap(chunk), ByteBuffer.wrap(sum));
      meta.seek(BlockMetadataHeader.getHeaderSize());
      meta.write(sum);
    }
  }

  private static Path checksums(Path block) throws IOException {
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(block.getParent(), block.getFileName() + "_*.meta")) {
      return found.iterator().next();
    }
  }
}
