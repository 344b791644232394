// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.impl.BlockReaderRemote;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.server.datanode.replica.ReplicaStream;

/** Reads a replica of another DataNode, in the same way as Hadoop's own reconstruction. */
final class RemoteReplicaStream implements ReplicaStream {
  private final ExtendedBlock block;
  private final Socket socket;
  private final BlockReader reader;

  RemoteReplicaStream(
      DataNode node, DatanodeInfo from, ExtendedBlock block, long position, int timeoutMillis)
      throws IOException {
    this.block = block;
    Token<BlockTokenIdentifier> token =
        node.getBlockAccessToken(
            block, EnumSet.of(AccessMode.READ), StorageType.EMPTY_ARRAY, new String[0]);
    socket = Transfers.connect(node, from, timeoutMillis);
    Peer peer = null;
    try {
      peer =
          DFSUtilClient.peerFromSocketAndKey(
              node.getSaslClient(),
              socket,
              node.getDataEncryptionKeyFactoryForBlock(block),
              token,
              from,
              timeoutMillis);
      reader =
          BlockReaderRemote.newBlockReader(
              "stripeline-agent",
              block,
              token,
              position,
              block.getNumBytes() - position,
              true,
              "",
              peer,
              from,
              null,
              CachingStrategy.newDropBehind(),
              -1,
              node.getConf());
      ReplicaStream.check(reader.getDataChecksum(), block);
    } catch (IOException | RuntimeException e) {
      IOUtils.cleanupWithLogger(null, peer, socket);
      throw e;
    }
  }

  @Override
  public void readFully(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (reader.read(into) <= 0) {
        throw new IOException(
            "Cannot read " + block + ": it ends " + into.remaining() + " bytes early");
      }
    }
  }

  @Override
  public DataChecksum checksum() {
    return reader.getDataChecksum();
  }

  /** Closes the stream. This also ends a read in another thread. */
  @Override
  public void close() {
    IOUtils.closeSocket(socket);
    try {
      reader.close();
    } catch (IOException e) {
      // The socket is already closed, so nothing is leaked.
      return;
    }
  }
}
