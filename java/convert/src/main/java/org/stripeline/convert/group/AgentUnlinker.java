// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.convert.file.Recovery;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;

/**
 * Lets the agents remove what groups that will not be have left on their DataNodes.
 *
 * <p>The NameNode alone is not enough: while it deletes a file it drops late reports of the file's
 * blocks, so that those stayed until the next full block report. A DataNode that is down reports
 * all it has when it comes back, and one whose agent is gone at its next report; both are told
 * then.
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
    for (JournalRecord task : open.tasks()) {
      DatanodeInfo node = cluster.find(task.node);
      if (node != null) {
        nodes.endTask(node, task.task);
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
        unlink(cluster.find(entry.getKey()), pool, entry.getValue());
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void unlink(DatanodeInfo node, String pool, List<AgentBlock> blocks) throws IOException {
    if (node == null) {
      return;
    }
    try {
      nodes.agents().unlink(node, pool, blocks);
    } catch (AgentException e) {
      if (!AgentNodes.isAway(e)) {
        throw e;
      }
      LOG.warn(
          "No agent answers on {}; {} internal blocks may stay there until its next block report",
          node.getXferAddr(),
          blocks.size());
    }
  }
}
