// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.convert.file.Recovery;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;

/**
 * Removes the internal blocks of abandoned groups from their DataNodes, through the agents.
 *
 * <p>Deleting the file on the NameNode is not enough: while it deletes a file, it drops late
 * reports of the file's blocks, so these blocks would stay until the next full block report. A
 * DataNode that is down sends a full report when it returns, and one without an agent at its next
 * interval; the NameNode then tells both to delete the blocks.
 */
public final class AgentUnlinker implements Recovery.Unlinker {
  private static final Logger LOG = LoggerFactory.getLogger(AgentUnlinker.class);

  private final AgentNodes nodes;

  public AgentUnlinker(AgentNodes nodes) {
    this.nodes = nodes;
  }

  @Override
  public void unlink(OpenFile open) throws IOException {
    if (open.groups().isEmpty()) {
      return;
    }
    AgentNodes.Snapshot cluster = nodes.fresh();
    // A call to a DataNode that hangs takes minutes, and the file may be locked until all calls
    // have ended. Therefore a DataNode gets no further call after one has failed. Its agent drops
    // queued tasks that no driver polls, and completes running ones. The blocks that these write
    // stay until a block report, like the blocks that are left below. Later attempts have blocks
    // with other ids.
    Set<String> away = new HashSet<>();
    for (JournalRecord task : open.tasks()) {
      DatanodeInfo node = cluster.find(task.node);
      if (node != null && !away.contains(task.node) && !nodes.endTask(node, task.task)) {
        away.add(task.node);
      }
    }
    Map<String, List<AgentBlock>> blocks = new HashMap<>();
    for (JournalRecord group : open.groups()) {
      for (JournalRecord.Placed placed : group.blocks) {
        blocks
            .computeIfAbsent(placed.node, any -> new ArrayList<>())
            .add(new AgentBlock(placed.id, placed.generationStamp, placed.length));
      }
    }
    String pool = open.groups().get(0).pool;
    IOException failure = null;
    for (Map.Entry<String, List<AgentBlock>> entry : blocks.entrySet()) {
      try {
        DatanodeInfo node = cluster.find(entry.getKey());
        if (away.contains(entry.getKey())) {
          leave(node, entry.getValue());
        } else if (node != null) {
          unlink(node, pool, entry.getValue());
        }
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException {
    try {
      nodes.agents().unlink(node, pool, blocks);
    } catch (AgentException e) {
      if (!AgentNodes.isAway(e)) {
        throw e;
      }
      leave(node, blocks);
    }
  }

  private static void leave(DatanodeInfo node, List<AgentBlock> blocks) {
    LOG.warn(
        "No agent answers on {}; {} internal blocks may stay there until its next block report",
        node.getXferAddr(),
        blocks.size());
  }
}
