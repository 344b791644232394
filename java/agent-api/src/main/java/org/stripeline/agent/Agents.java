// SPDX-License-Identifier: Apache-2.0
package org.stripeline.agent;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/**
 * The agents of a cluster, as their callers see them: each call names the DataNode that it is for.
 *
 * <p>The caller must be a superuser of HDFS, under Kerberos one with a ticket; or have block tokens
 * of a superuser, which are enough to have one group encoded. Every method may be called by several
 * threads at once, and throws an {@link AgentException} whose kind says what to do. A call lasts
 * seconds at most; what takes longer is a task.
 */
public interface Agents extends Closeable {

  /** Most milliseconds that one {@link #poll} waits at the agent. */
  long POLL_WAIT_MILLIS_MAX = 10_000;

  /** Returns the agents as the current user reaches them; nothing is connected to yet. */
  static Agents connect(Configuration conf) throws IOException {
    return new RpcAgents(conf, RpcAgents.CALL_MILLIS);
  }

  /**
   * Returns the agents as the holder of a block token reaches them: for {@link #encode}, {@link
   * #poll} and {@link #cancel} of the block group that it lets write, where the request has a token
   * for each block to be read.
   *
   * @param token as {@code Token.encodeToUrlString} has it
   */
  static Agents connect(Configuration conf, String token) throws IOException {
    Token<BlockTokenIdentifier> shown = new Token<>();
    shown.decodeFromUrlString(token);
    UserGroupInformation holder = UserGroupInformation.createRemoteUser("block-token");
    holder.addToken(shown);
    try {
      return holder.doAs((PrivilegedExceptionAction<Agents>) () -> connect(conf));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Cannot connect to agents: interrupted");
    }
  }

  /** Asks an agent about itself: whether it is there, and of which version. */
  AgentInfo describe(DatanodeInfo node) throws IOException;

  /**
   * Makes replicas appear under second names, on the same volumes, and tells the NameNode. Either
   * all links of a call are made or none.
   *
   * @param pool the block pool
   * @param links what to link, at most {@code stripeline.agent.links.max} of them
   * @return what became of each, in that order
   */
  List<Linked> link(DatanodeInfo node, String pool, List<Link> links) throws IOException;

  /**
   * Removes replicas of internal blocks whose group will not be. Those that are not there are no
   * error, so it may be repeated.
   *
   * @param blocks internal blocks, whose ids are negative, each with the generation stamp that it
   *     must have to be removed
   * @return how many were there
   */
  int unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException;

  /**
   * Lets a task write an internal block that is not there yet. Only the task that was let last may
   * take the block back.
   *
   * @param writer any text that only the task has
   * @throws AgentException of kind FAILED if something there has that name, or is being deleted
   */
  void reserve(DatanodeInfo node, String pool, AgentBlock block, String writer) throws IOException;

  /**
   * Removes an internal block that a task was let write, unless another task, a link or an {@link
   * #unlink} came after it.
   *
   * @return whether it was there and was removed
   */
  boolean rollBack(DatanodeInfo node, String pool, AgentBlock block, String writer)
      throws IOException;

  /** Reads a finalized replica through its checksums and returns the checksum of all its bytes. */
  default BlockChecksum checksum(DatanodeInfo node, String pool, AgentBlock block)
      throws IOException {
    return checksum(node, pool, block, 0, block.length, false);
  }

  /**
   * Reads a part of a finalized replica through its checksums. Callers read large replicas part by
   * part, so that each call is short.
   *
   * @param bytes how many to read from the offset on; 0 stands for all that there are
   * @param sync whether to make the replica durable first, files and directories, and to drop it
   *     from the page cache, so that this and later calls read what the disk has
   * @return length and checksum of what was read
   */
  BlockChecksum checksum(
      DatanodeInfo node, String pool, AgentBlock block, long offset, long bytes, boolean sync)
      throws IOException;

  /** Returns what the file of checksums of a finalized replica says its bytes are. */
  BlockClaim claim(DatanodeInfo node, String pool, AgentBlock block) throws IOException;

  /**
   * Begins to encode a group. Nothing with the names of its targets may be there yet; a task that
   * fails removes what it has written, and nothing else.
   *
   * @return the number of the task at that agent; numbers are not used again after a restart
   */
  long encode(DatanodeInfo node, EncodeRequest request) throws IOException;

  /**
   * Begins to encode a group, or takes up what was begun.
   *
   * @param ticket names the task, for as long as the agent knows it: asked again, in whatever
   *     process, it returns the number of the task that it has
   */
  long encode(DatanodeInfo node, String ticket, EncodeRequest request) throws IOException;

  /**
   * Asks how far a task is, and waits for its end so long. A task that nobody asks about for {@code
   * stripeline.agent.abandon.period} is cancelled; the end of one is kept for {@code
   * stripeline.agent.result.period}.
   *
   * @param waitMillis how long to wait for the end, at most {@link #POLL_WAIT_MILLIS_MAX}; 0 does
   *     not
   */
  TaskReport poll(DatanodeInfo node, long task, long waitMillis) throws IOException;

  /** Tells a task to end; one that has ended, or is not known any more, is no error. */
  void cancel(DatanodeInfo node, long task) throws IOException;

  /**
   * Tells the tasks of a ticket, and of all tickets that begin with it, to end. A call of {@link
   * #encode} with such a ticket that comes later is refused: it may be on its way still.
   *
   * @return the tasks, which may take some seconds to end; empty if none is known
   */
  List<Long> cancel(DatanodeInfo node, String ticket) throws IOException;

  /** Closes the connections. Tasks go on. Later calls fail; closing again does nothing. */
  @Override
  void close();
}
