// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.zip.CRC32C;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;

/** Damages replicas of blocks on DataNodes. */
final class ReplicaDamage {
  private ReplicaDamage() {}

  /** Corrupts data like a disk: the checksums are still those of the correct bytes. */
  static void flip(ConvertCluster cluster, LocatedBlock block, DatanodeInfo node)
      throws IOException {
    cluster
        .mini
        .getMaterializedReplica(AgentSwitch.node(cluster, node.getDatanodeUuid()), block.getBlock())
        .corruptData();
  }

  /** Corrupts data like a faulty writer: the checksums match the wrong bytes. */
  static void rewrite(ConvertCluster cluster, LocatedBlock block, DatanodeInfo node)
      throws IOException {
    int number =
        cluster.mini.getDataNodes().indexOf(AgentSwitch.node(cluster, node.getDatanodeUuid()));
    File dataFile = cluster.mini.getBlockFile(number, block.getBlock());
    File metaFile = cluster.mini.getBlockMetadataFile(number, block.getBlock());
    byte[] data = Files.readAllBytes(dataFile.toPath());
    data[5] ^= 1;
    Files.write(dataFile.toPath(), data);
    CRC32C crc = new CRC32C();
    crc.update(data, 0, 512);
    byte[] meta = Files.readAllBytes(metaFile.toPath());
    ByteBuffer.wrap(meta).putInt(BlockMetadataHeader.getHeaderSize(), (int) crc.getValue());
    Files.write(metaFile.toPath(), meta);
  }
}
