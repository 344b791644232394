// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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

/** Where a task runs, and what its streams need of there. */
final class TaskContext {
  private static final Logger LOG = LoggerFactory.getLogger(TaskContext.class);

  /** Read by one call: a disk that is slow and busy still does it well within a call's time. */
  static final int CHECK_BYTES = 4 << 20;

  /** A disk that makes fewer bytes a second durable counts as broken. */
  private static final long SYNC_BYTES_PER_SECOND = 1 << 20;

  private static final long SYNC_PAUSE_MILLIS = 100;

  final DataNode dataNode;
  final LocalReplicas replicas;
  final Agents peers;
  final AgentSettings settings;
  final AgentMetrics metrics;
  final BufferPool buffers;
  private final LongSupplier nanoClock;

  TaskContext(
      DataNode dataNode,
      LocalReplicas replicas,
      Agents peers,
      AgentSettings settings,
      AgentMetrics metrics,
      BufferPool buffers,
      LongSupplier nanoClock) {
    this.dataNode = dataNode;
    this.replicas = replicas;
    this.peers = peers;
    this.settings = settings;
    this.metrics = metrics;
    this.buffers = buffers;
    this.nanoClock = nanoClock;
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
   * Makes a replica durable and reads it at rest, wherever it is, at a bounded rate.
   *
   * @throws AgentException if it cannot be read; of kind CORRUPT if its checksums are wrong
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
                + ": asked for "
                + bytes
                + " bytes, it read "
                + part.length);
      }
      whole.update(part.crc32c, bytes);
      limiter.moved(bytes);
    }
    return new BlockChecksum(block.length, ByteBuffer.wrap(whole.digest()).getInt());
  }

  /** What is to be written back may take longer than a call: the agent is asked until it is. */
  private BlockChecksum sync(String pool, AgentNode node, AgentBlock block, long bytes)
      throws IOException {
    long start = nanoClock.getAsLong();
    long limit = syncNanos(settings, block);
    while (true) {
      try {
        return part(pool, node, block, 0, bytes, true);
      } catch (AgentException e) {
        boolean isUnderWay =
            e.kind() == AgentException.Kind.BUSY || e.getCause() instanceof SocketTimeoutException;
        if (!isUnderWay || nanoClock.getAsLong() - start > limit) {
          throw e;
        }
        LOG.debug("{} at {} is not durable yet", block, node);
        RpcAgents.pause(SYNC_PAUSE_MILLIS);
      }
    }
  }

  /** Returns how long a disk that works takes at most to make a block durable. */
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

  /** Returns what a replica's checksums say, wherever it is. */
  BlockClaim claim(String pool, AgentNode node, AgentBlock block) throws IOException {
    return isHere(node)
        ? here(block, () -> replicas.claim(pool, block))
        : peers.claim(node.toDatanodeInfo(), pool, block);
  }

  private interface Work<T> {
    T run() throws IOException;
  }

  /** Fails as the agent of another DataNode would. */
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

  /** The NameNode has corrupt replicas replaced, as it does when a client reports them. */
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
   * Lets a task write a block, wherever it is.
   *
   * @throws AgentException if something there has that name, or may have
   */
  void reserve(String pool, EncodeRequest.Target target, String writer) throws IOException {
    if (isHere(target.node)) {
      replicas.reserve(new Messages.ReserveCall(pool, target.block, writer));
    } else {
      peers.reserve(target.node.toDatanodeInfo(), pool, target.block, writer);
    }
  }

  /** Removes a replica that a task has written, wherever it is. */
  void rollBack(String pool, EncodeRequest.Target target, String writer) throws IOException {
    if (isHere(target.node)) {
      replicas.unlink(
          new Messages.UnlinkCall(pool, Collections.singletonList(target.block), writer));
    } else {
      peers.rollBack(target.node.toDatanodeInfo(), pool, target.block, writer);
    }
  }
}
