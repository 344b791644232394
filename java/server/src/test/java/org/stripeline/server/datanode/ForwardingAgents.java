// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentInfo;
import org.stripeline.agent.Agents;
import org.stripeline.agent.BlockChecksum;
import org.stripeline.agent.BlockClaim;
import org.stripeline.agent.BlockFingerprints;
import org.stripeline.agent.EncodeRequest;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.agent.Link;
import org.stripeline.agent.Linked;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.agent.TaskReport;

/** Forwards all calls to other agents; subclasses change some. */
public class ForwardingAgents implements Agents {
  private final Agents to;

  /** Forwards to {@code to}. */
  public ForwardingAgents(Agents to) {
    this.to = to;
  }

  @Override
  public AgentInfo describe(DatanodeInfo node) throws IOException {
    return to.describe(node);
  }

  @Override
  public List<Linked> link(DatanodeInfo node, String pool, List<Link> links) throws IOException {
    return to.link(node, pool, links);
  }

  @Override
  public int unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException {
    return to.unlink(node, pool, blocks);
  }

  @Override
  public void reserve(DatanodeInfo node, String pool, AgentBlock block, String writer)
      throws IOException {
    to.reserve(node, pool, block, writer);
  }

  @Override
  public boolean rollBack(DatanodeInfo node, String pool, AgentBlock block, String writer)
      throws IOException {
    return to.rollBack(node, pool, block, writer);
  }

  @Override
  public BlockChecksum checksum(
      DatanodeInfo node, String pool, AgentBlock block, long offset, long bytes, boolean sync)
      throws IOException {
    return to.checksum(node, pool, block, offset, bytes, sync);
  }

  @Override
  public BlockClaim claim(DatanodeInfo node, String pool, AgentBlock block) throws IOException {
    return to.claim(node, pool, block);
  }

  @Override
  public BlockFingerprints fingerprint(DatanodeInfo node, FingerprintRequest request)
      throws IOException {
    return to.fingerprint(node, request);
  }

  @Override
  public QuarantinedReplica quarantine(
      DatanodeInfo node, String pool, AgentBlock block, boolean remove) throws IOException {
    return to.quarantine(node, pool, block, remove);
  }

  @Override
  public long encode(DatanodeInfo node, EncodeRequest request) throws IOException {
    return to.encode(node, request);
  }

  @Override
  public long encode(DatanodeInfo node, String ticket, EncodeRequest request) throws IOException {
    return to.encode(node, ticket, request);
  }

  @Override
  public TaskReport poll(DatanodeInfo node, long task, long waitMillis) throws IOException {
    return to.poll(node, task, waitMillis);
  }

  @Override
  public void cancel(DatanodeInfo node, long task) throws IOException {
    to.cancel(node, task);
  }

  @Override
  public List<Long> cancel(DatanodeInfo node, String ticket) throws IOException {
    return to.cancel(node, ticket);
  }

  @Override
  public void close() {}
}
