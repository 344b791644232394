// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.util.DataChecksum;

/** The data and checksum files of one replica, and ways to corrupt them. */
final class ReplicaFiles {
  /** Version, checksum type, bytes per checksum. */
  private static final int HEADER_BYTES = 7;

  final Path data;
  final Path meta;

  private ReplicaFiles(ReplicaInfo replica) {
    data = new File(replica.getBlockURI()).toPath();
    meta = new File(replica.getMetadataURI()).toPath();
  }

  /** Finds the files of a block on a DataNode. */
  static ReplicaFiles of(ConvertCluster cluster, String uuid, long block) throws IOException {
    String pool = cluster.mini.getNameNode(0).getNamesystem().getBlockPoolId();
    DataNode node = AgentSwitch.node(cluster, uuid);
    for (ReplicaInfo replica : DataNodeTestUtils.getFSDataset(node).getFinalizedBlocks(pool)) {
      if (replica.getBlockId() == block) {
        return new ReplicaFiles(replica);
      }
    }
    throw new AssertionError("no replica of " + block + " on " + uuid);
  }

  byte[] bytes() throws IOException {
    return Files.readAllBytes(data);
  }

  /** Changes a byte of the data. */
  void flip(long at) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
      file.seek(at);
      int before = file.read();
      file.seek(at);
      file.write(before ^ 0x10);
    }
  }

  void truncate(long length) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
      file.setLength(length);
    }
  }

  /** Writes other bytes of the same length, with matching checksums. */
  void replace(byte[] bytes) throws IOException {
    replace(bytes, ByteBuffer.wrap(Files.readAllBytes(meta)).getInt(3));
  }

  /** Writes bytes, with matching checksums for chunks of {@code chunk} bytes. */
  void replace(byte[] bytes, int chunk) throws IOException {
    DataChecksum checksum =
        DataChecksum.newDataChecksum(DataChecksum.Type.valueOf(Files.readAllBytes(meta)[2]), chunk);
    int chunks = (bytes.length + chunk - 1) / chunk;
    ByteBuffer sums = ByteBuffer.allocate(HEADER_BYTES + chunks * checksum.getChecksumSize());
    sums.putShort(BlockMetadataHeader.VERSION).put(checksum.getHeader());
    checksum.calculateChunkedSums(ByteBuffer.wrap(bytes), sums);
    write(data, bytes);
    write(meta, sums.array());
  }

  /** Exchanges data and checksums of two replicas of equal length. */
  void swap(ReplicaFiles other) throws IOException {
    byte[] ownData = Files.readAllBytes(data);
    byte[] ownMeta = Files.readAllBytes(meta);
    write(data, Files.readAllBytes(other.data));
    write(meta, Files.readAllBytes(other.meta));
    write(other.data, ownData);
    write(other.meta, ownMeta);
  }

  /** Overwrites the existing file, so that hard links to it change as well. */
  private static void write(Path path, byte[] bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.write(bytes);
      file.setLength(bytes.length);
    }
  }
}
