// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf;
import org.apache.hadoop.hdfs.client.impl.DfsClientConf.ShortCircuitConf;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.datatransfer.InvalidEncryptionKeyException;
import org.apache.hadoop.hdfs.security.token.block.InvalidBlockTokenException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.token.SecretManager.InvalidToken;
import org.stripeline.client.read.UnitReader;

/**
 * Opens packet readers on connections from Hadoop's cache or on new connections that Hadoop
 * creates, as {@code BlockReaderFactory} does for TCP.
 */
final class StripelinePackets {
  private final StripelineDFSClient client;

  /** Whether read methods other than TCP are configured for DataNodes on this host. */
  private final boolean hasLocalWays;

  /** Whether Hadoop's readers must be used for every DataNode. */
  private final boolean hasOtherWays;

  StripelinePackets(StripelineDFSClient client) {
    this.client = client;
    DfsClientConf conf = client.getConf();
    ShortCircuitConf local = conf.getShortCircuitConf();
    hasLocalWays = local.isShortCircuitLocalReads() || local.isDomainSocketDataTraffic();
    hasOtherWays =
        !conf.getReplicaAccessorBuilderClasses().isEmpty()
            || DFSInputStream.tcpReadsDisabledForTesting;
  }

  /**
   * Returns whether the configuration requires TCP for reads from the DataNode at {@code address}.
   */
  boolean isTcp(InetSocketAddress address) {
    try {
      return !hasOtherWays && !(hasLocalWays && DFSUtilClient.isLocalAddress(address));
    } catch (IOException unresolved) {
      return !hasOtherWays;
    }
  }

  /**
   * Opens a reader.
   *
   * @return null if Hadoop's own readers must be used: other methods than TCP are configured, or
   *     the socket has no channel, as those of Hadoop's factory for SOCKS, over which Hadoop's
   *     readers throw
   */
  UnitReader open(StripelineUnitRequest request) throws IOException {
    if (!isTcp(request.node.addr)) {
      return null;
    }
    for (int tries = client.getConf().getNumCachedConnRetry(); tries > 0; tries--) {
      Peer cached = client.getClientContext().getPeerCache().get(request.node.info, false);
      if (cached == null) {
        break;
      }
      if (cached.getInputStreamChannel() == null) {
        cached.close();
        return null;
      }
      try {
        return StripelinePacketReader.open(client, request, cached);
      } catch (IOException e) {
        if (isAboutSecurity(e)
            || e instanceof SocketTimeoutException
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        // A DataNode closes idle connections; that does not indicate a fault of the block. A
        // connection that is open and silent indicates that the DataNode hangs, on all of its
        // connections.
      }
    }
    Peer peer =
        client.newConnectedPeer(
            request.node.addr, request.block.getBlockToken(), request.node.info);
    if (peer.getInputStreamChannel() == null) {
      peer.close();
      return null;
    }
    return StripelinePacketReader.open(client, request, peer);
  }

  private static boolean isAboutSecurity(IOException e) {
    return e instanceof InvalidToken
        || e instanceof InvalidEncryptionKeyException
        || e instanceof InvalidBlockTokenException
        || e instanceof AccessControlException;
  }
}
