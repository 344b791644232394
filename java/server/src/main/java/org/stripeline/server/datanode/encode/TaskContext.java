// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.CrcComposer;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.AgentNode;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockClaim;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.Messages;
import org.stripeline.agent.RpcAgents;
import org.stripeline.natives.Ticker;
import org.stripeline.server.datanode.AgentMetrics;
import org.stripeline.server.datanode.AgentSettings;
import org.stripeline.server.datanode.replica.LocalReplicas;

/** The environment of a task, with the operations that its streams use. */
public final class TaskContext {
  private static final Logger LOG = LoggerFactory.getLogger(TaskContext.class);

  /** Bytes read by one call, few enough for a slow and busy disk to read within the timeout. */
  static final int CHECK_BYTES = 4 << 20;

  /** A disk that syncs fewer bytes per second is considered broken. */
  private static final long SYNC_BYTES_PER_SECOND = 1 << 20;

  private static final long SYNC_PAUSE_MILLIS = 100;

  final DataNode dataNode;
  final LocalReplicas replicas;
  final Agents peers;
  final AgentSettings settings;
  final AgentMetrics metrics;
  final BufferPool buffers;
  final Ticker ticker;

  /**
   * Creates the environment of the tasks of an agent.
   *
   * @param peers calls the agents of other DataNodes
   * @param ticker the clock of idle times and time limits
   */
  public TaskContext(
      DataNode dataNode,
      LocalReplicas replicas,
      Agents peers,
      AgentSettings settings,
      AgentMetrics metrics,
      BufferPool buffers,
      Ticker ticker) {
    this.dataNode = dataNode;
    this.replicas = replicas;
    this.peers = peers;
    this.settings = settings;
    this.metrics = metrics;
    this.buffers = buffers;
    this.ticker = ticker;
  }

  boolean isHere(AgentNode node) {
    return node.uuid.equals(dataNode.getDatanodeUuid());
  }

  TransferCounters.Distance distance(String rack, AgentNode node) {
    if (isHere(node)) {
      return TransferCounters.Distance.LOCAL;
    }
    return node.rack.equals(rack)
        ? TransferCounters.Distance.RACK
        : TransferCounters.Distance.REMOTE;
  }

  /**
   * Writes a replica on any DataNode to disk and reads it, at a limited rate.
   *
   * @throws AgentException if it cannot be read; of kind CORRUPT if its checksums do not match
   */
  BlockChecksum checksum(String pool, AgentNode node, AgentBlock block, RateLimiter limiter)
      throws IOException {
    CrcComposer whole = CrcComposer.newCrcComposer(DataChecksum.Type.CRC32C, CHECK_BYTES);
    for (long at = 0; at < block.length; at += CHECK_BYTES) {
      long bytes = Math.min(CHECK_BYTES, block.length - at);
      BlockChecksum part =
          at == 0 ? sync(pool, node, block, bytes) : part(pool, node, block, at, bytes, false);
      if (part.length != bytes) {
        throw new AgentException(
            AgentException.Kind.FAILED,
            "Cannot verify "
                + block
                + " at "
                + node
                + ": requested "
                + bytes
                + " bytes, it read "
                + part.length);
      }
      whole.update(part.crc32c, bytes);
      limiter.moved(bytes);
    }
    return new BlockChecksum(block.length, ByteBuffer.wrap(whole.digest()).getInt());
  }

  /**
   * Syncs a replica. Since this may take longer than a call, the call is repeated until it
   * succeeds.
   */
  private BlockChecksum sync(String pool, AgentNode node, AgentBlock block, long bytes)
      throws IOException {
    long start = ticker.nanos();
    long limit = syncNanos(settings, block);
    while (true) {
      try {
        return part(pool, node, block, 0, bytes, true);
      } catch (AgentException e) {
        boolean isUnderWay =
            e.kind() == AgentException.Kind.BUSY || e.getCause() instanceof SocketTimeoutException;
        if (!isUnderWay || ticker.nanos() - start > limit) {
          throw e;
        }
        LOG.debug("{} at {} is not durable yet", block, node);
        RpcAgents.pause(SYNC_PAUSE_MILLIS);
      }
    }
  }

  /** Returns the maximum time that a working disk takes to sync a block. */
  static long syncNanos(AgentSettings settings, AgentBlock block) {
    return TimeUnit.MILLISECONDS.toNanos(settings.timeoutMillis)
        + TimeUnit.SECONDS.toNanos(block.length / SYNC_BYTES_PER_SECOND);
  }

  private BlockChecksum part(
      String pool, AgentNode node, AgentBlock block, long offset, long bytes, boolean sync)
      throws IOException {
    if (!isHere(node)) {
      return peers.checksum(node.toDatanodeInfo(), pool, block, offset, bytes, sync);
    }
    return here(
        block,
        () -> replicas.checksum(new Messages.ChecksumCall(pool, block, offset, bytes, sync)));
  }

  /** Returns the CRC according to the checksums of a replica on any DataNode. */
  BlockClaim claim(String pool, AgentNode node, AgentBlock block) throws IOException {
    return isHere(node)
        ? here(block, () -> replicas.claim(pool, block))
        : peers.claim(node.toDatanodeInfo(), pool, block);
  }

  private interface Work<T> {
    T run() throws IOException;
  }

  /** Runs local work, and wraps exceptions like those of another DataNode's agent. */
  private static <T> T here(AgentBlock block, Work<T> work) throws IOException {
    try {
      return work.run();
    } catch (AgentException | InterruptedIOException | ClosedByInterruptException e) {
      throw e;
    } catch (IOException e) {
      throw new AgentException(
          AgentException.Kind.FAILED,
          "Cannot read " + block + " here: " + AgentException.reason(e),
          e);
    }
  }

  /** Reports a corrupt replica like a client, so that the NameNode replaces it. */
  void reportCorrupt(String pool, AgentBlock block, AgentNode node) {
    ExtendedBlock replica = block.in(pool);
    try {
      if (isHere(node)) {
        dataNode.reportBadBlocks(replica);
      } else {
        dataNode.reportRemoteBadBlock(node.toDatanodeInfo(), replica);
      }
    } catch (IOException e) {
      LOG.warn("Cannot report the corrupt replica of {} at {}", block, node, e);
    }
  }

  /**
   * Allows a task to write a block on any DataNode.
   *
   * @throws AgentException if a replica with that id exists, or may exist
   */
  void reserve(String pool, EncodeRequest.Target target, String writer) throws IOException {
    if (isHere(target.node)) {
      replicas.reserve(new Messages.ReserveCall(pool, target.block, writer));
    } else {
      peers.reserve(target.node.toDatanodeInfo(), pool, target.block, writer);
    }
  }

  /** Removes a replica that a task has written on any DataNode. */
  void rollBack(String pool, EncodeRequest.Target target, String writer) throws IOException {
    if (isHere(target.node)) {
      replicas.unlink(
          new Messages.UnlinkCall(pool, Collections.singletonList(target.block), writer));
    } else {
      peers.rollBack(target.node.toDatanodeInfo(), pool, target.block, writer);
    }
  }
}
