// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.impl.BlockReaderRemote;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.net.NetUtils;
import org.stripeline.convert.job.Reasons;

/**
 * Reads the replica of one block on one DataNode, by default through its checksums. Unlike Hadoop's
 * streams, it does not fail over to another DataNode.
 */
public final class ReplicaReader implements Closeable {
  private final String name;
  private final BlockReader reader;
  private long left;

  /**
   * Connects to a DataNode, unless the block is empty.
   *
   * @param node one of the block's locations
   */
  ReplicaReader(DistributedFileSystem fs, LocatedBlock block, DatanodeInfo node)
      throws IOException {
    this(fs, block, node, 0, block.getBlock().getNumBytes(), true);
  }

  /**
   * Connects to a DataNode, unless there are no bytes to read.
   *
   * @param node one of the block's locations
   * @param offset the first byte to read
   * @param bytes number of bytes, all within the block
   * @param isVerified whether bytes that do not match their checksums are an error
   */
  public ReplicaReader(
      DistributedFileSystem fs,
      LocatedBlock block,
      DatanodeInfo node,
      long offset,
      long bytes,
      boolean isVerified)
      throws IOException {
    ExtendedBlock id = block.getBlock();
    name = id.getBlockName() + " at " + node.getXferAddr();
    left = bytes;
    reader = left == 0 ? null : open(fs, block, node, offset, isVerified);
  }

  private BlockReader open(
      DistributedFileSystem fs,
      LocatedBlock block,
      DatanodeInfo node,
      long offset,
      boolean isVerified)
      throws IOException {
    DFSClient client = fs.getClient();
    boolean byHostName = client.getConf().isConnectToDnViaHostname();
    Peer peer = null;
    try {
      peer =
          client.newConnectedPeer(
              NetUtils.createSocketAddr(node.getXferAddr(byHostName)), block.getBlockToken(), node);
      return BlockReaderRemote.newBlockReader(
          "stripeline-convert",
          block.getBlock(),
          block.getBlockToken(),
          offset,
          left,
          isVerified,
          client.getClientName(),
          peer,
          node,
          null,
          CachingStrategy.newDropBehind(),
          -1,
          fs.getConf());
    } catch (IOException e) {
      IOUtils.cleanupWithLogger(null, peer);
      throw failure(e);
    }
  }

  /** Returns the number of bytes that are still to be read. */
  long left() {
    return left;
  }

  /**
   * Reads the next bytes, up to the remaining space of the buffer or the end of what is read.
   *
   * @throws IOException if the bytes are missing, or do not match their checksums: its cause is
   *     then a {@code ChecksumException}
   */
  public void read(ByteBuffer into) throws IOException {
    int limit = into.limit();
    int bytes = (int) Math.min(left, into.remaining());
    into.limit(into.position() + bytes);
    try {
      while (into.hasRemaining()) {
        if (reader.read(into) <= 0) {
          throw new IOException("it ends " + (left - bytes + into.remaining()) + " bytes early");
        }
      }
    } catch (IOException e) {
      throw failure(e);
    }
    left -= bytes;
    into.limit(limit);
  }

  private IOException failure(IOException e) {
    return new IOException("Cannot read " + name + ": " + Reasons.of(e), e);
  }

  @Override
  public void close() throws IOException {
    if (reader != null) {
      reader.close();
    }
  }
}
