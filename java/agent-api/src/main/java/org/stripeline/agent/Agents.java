// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/**
 * The client's view of a cluster's agents. Each call names the DataNode whose agent it addresses.
 *
 * <p>The caller must be a superuser of HDFS, with a ticket if Kerberos is enabled. All methods are
 * thread-safe, and throw an {@link AgentException} whose kind determines the action to take.
 *
 * <p>Most calls take seconds. Those that wait for a disk ({@link #link}, {@link #checksum} with
 * sync, {@link #quarantine}) can take minutes; only encoding is a task.
 */
public interface Agents extends Closeable {

  /** Maximum milliseconds that one {@link #poll} waits at the agent. */
  long POLL_WAIT_MILLIS_MAX = 10_000;

  /** Returns a client for the current user, without connecting to an agent. */
  static Agents connect(Configuration conf) throws IOException {
    return new RpcAgents(conf, RpcAgents.CALL_MILLIS);
  }

  /** Returns the versions and identity of an agent. */
  AgentInfo describe(DatanodeInfo node) throws IOException;

  /**
   * Links replicas under second block ids, on the same volumes, and informs the NameNode. Either
   * all links of a call are created or none.
   *
   * @param pool the block pool
   * @param links the links to create, at most {@code stripeline.agent.links.max}
   * @return the result of each link, in the same order
   */
  List<Linked> link(DatanodeInfo node, String pool, List<Link> links) throws IOException;

  /**
   * Removes replicas of internal blocks of an abandoned group. Replicas that do not exist are
   * ignored, so the call is idempotent.
   *
   * @param blocks internal blocks, whose ids are negative, each with the generation stamp that it
   *     must have to be removed
   * @return the number of replicas that existed
   */
  int unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException;

  /**
   * Allows a task to write an internal block that does not exist yet. Only the last task that was
   * allowed to write the block can roll it back.
   *
   * @param writer any text that is unique to the task
   * @throws AgentException of kind FAILED if a replica with that block id exists or is being
   *     deleted
   */
  void reserve(DatanodeInfo node, String pool, AgentBlock block, String writer) throws IOException;

  /**
   * Removes an internal block that a task was allowed to write, unless another task, a link or an
   * {@link #unlink} came after it.
   *
   * @return whether the block existed and was removed
   */
  boolean rollBack(DatanodeInfo node, String pool, AgentBlock block, String writer)
      throws IOException;

  /** Reads a finalized replica through its checksums, and returns the checksum of all its bytes. */
  default BlockChecksum checksum(DatanodeInfo node, String pool, AgentBlock block)
      throws IOException {
    return checksum(node, pool, block, 0, block.length, false);
  }

  /**
   * Reads a part of a finalized replica through its checksums. Callers read large replicas in
   * parts, so that each call is short.
   *
   * @param bytes number of bytes to read from the offset; 0 for all remaining bytes
   * @param sync whether to write the replica to disk first, files and directories, and to drop it
   *     from the page cache, so that this and later calls read from the disk
   * @return length and checksum of the bytes read
   */
  BlockChecksum checksum(
      DatanodeInfo node, String pool, AgentBlock block, long offset, long bytes, boolean sync)
      throws IOException;

  /** Returns the CRC of a finalized replica according to its checksum file. */
  BlockClaim claim(DatanodeInfo node, String pool, AgentBlock block) throws IOException;

  /**
   * Reads windows of a finalized replica, verifies their checksums, and returns their linear
   * fingerprints. What is wrong with the replica is an outcome in the answer, not an exception. A
   * call answers after some seconds with at least one window: callers ask again for the rest.
   *
   * @throws AgentException of kind UNSUPPORTED if the agent is of a version without this method; of
   *     kind BUSY if other calls read from the same storage or use the whole rate; of kind NO_AGENT
   *     if the agent is being stopped
   */
  BlockFingerprints fingerprint(DatanodeInfo node, FingerprintRequest request) throws IOException;

  /**
   * Keeps a finalized replica in quarantine: links its files to a directory beside the storage,
   * where they stay for a limited time. A replica that is there already is not kept twice.
   *
   * @param block the block; the replica may have another length, if it is damaged
   * @param remove whether to remove the replica, so that the NameNode has it rebuilt; only a
   *     replica that an earlier call has kept is removed
   * @throws AgentException of kind CHANGED if the replica has another generation stamp, is not
   *     finalized, changes during the call, or is to be removed but was not kept before; of kind
   *     FAILED if the quarantine is full; of kind UNSUPPORTED if the agent is of a version without
   *     this method
   */
  QuarantinedReplica quarantine(DatanodeInfo node, String pool, AgentBlock block, boolean remove)
      throws IOException;

  /**
   * Begins to encode a group. No replica with the id of a target may exist. A task that fails
   * removes what it has written, and nothing else.
   *
   * @return the task's id at that agent; ids are not reused after a restart
   */
  long encode(DatanodeInfo node, EncodeRequest request) throws IOException;

  /**
   * Begins to encode a group, or continues an existing task.
   *
   * @param ticket identifies the task while the agent keeps it: a second call with the same ticket,
   *     from any process, returns the id of the existing task
   */
  long encode(DatanodeInfo node, String ticket, EncodeRequest request) throws IOException;

  /**
   * Returns the progress of a task, and optionally waits for its end. A task that is not polled for
   * {@code stripeline.agent.abandon.period} is cancelled. The result of a task is kept for {@code
   * stripeline.agent.result.period}.
   *
   * @param waitMillis milliseconds to wait for the end, at most {@link #POLL_WAIT_MILLIS_MAX}; 0 to
   *     return at once
   */
  TaskReport poll(DatanodeInfo node, long task, long waitMillis) throws IOException;

  /** Cancels a task. A task that has ended, or does not exist any more, is ignored. */
  void cancel(DatanodeInfo node, long task) throws IOException;

  /**
   * Cancels the tasks of a ticket, and of all tickets with that prefix. Later calls of {@link
   * #encode} with such a ticket are refused, since one may still be in transit.
   *
   * @return the ids of the tasks, which may take some seconds to end; empty if there are none
   */
  List<Long> cancel(DatanodeInfo node, String ticket) throws IOException;

  /** Closes the connections. Tasks continue. Later calls fail; closing again has no effect. */
  @Override
  void close();
}
