// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.placement.PlacementException;
import org.stripeline.server.agent.AgentBlock;
import org.stripeline.server.agent.AgentException;
import org.stripeline.server.agent.Link;

/**
 * One group on its way: has the agents link what its plan keeps. When an agent fails, now or when
 * it encodes, the group is planned anew, with others in its place, some times.
 */
final class GroupAdoption {
  private static final Logger LOG = LoggerFactory.getLogger(GroupAdoption.class);

  /** Plans of one group: what fails at so many places fails at others too. */
  private static final int PLANS_MAX = 3;

  /** DataNodes notice within this that a sender is gone, and drop what it sent. */
  private static final long AGAIN_MS = 1_000;

  private final Job job;
  private final AgentNodes nodes;
  private final Attempt attempt;
  private final GroupWork group;
  private final int first;
  private int plans = 1;

  /**
   * Takes a group that the NameNode has made and the journal names.
   *
   * @param first index of its first block in the file
   */
  GroupAdoption(Job job, AgentNodes nodes, Attempt attempt, GroupWork group, int first) {
    this.job = job;
    this.nodes = nodes;
    this.attempt = attempt;
    this.group = group;
    this.first = first;
  }

  GroupWork group() {
    return group;
  }

  /** Writes into the journal which internal blocks may come to be. */
  void announce() throws JournalLostException {
    job.announce(
        attempt.open(),
        JournalRecord.group(attempt.open().begin().fileId, group.pool(), group.placed()));
  }

  /** Links what the plan keeps. */
  void link() throws IOException {
    while (true) {
      try {
        linkAll();
        return;
      } catch (AgentException e) {
        planAgain(e);
      }
    }
  }

  private void linkAll() throws IOException {
    for (int i = 0; i < group.dataBlocks(); i++) {
      if (group.isAdopted(i) && !group.isLinked(i)) {
        link(i);
      }
    }
  }

  /** A replica that was moved away meanwhile, or cannot be linked, is sent with the parity. */
  private void link(int block) throws IOException {
    List<Link> links =
        Collections.singletonList(new Link(group.source(block), group.target(block)));
    try {
      AgentTurn.await(
          () ->
              job.traffic()
                  .linked(nodes.agents().link(group.dataNode(block), group.pool(), links)));
      group.linked(block);
    } catch (AgentException e) {
      boolean isMoved = e.kind() == AgentException.Kind.CHANGED;
      if (!isMoved && e.kind() != AgentException.Kind.FAILED) {
        throw e;
      }
      if (isMoved && !group.canBeSent(block)) {
        // Where it is now is known to the NameNode.
        throw e;
      }
      LOG.info("Sending {} instead of linking it: {}", group.source(block), e.getMessage());
      group.send(block);
    }
  }

  /**
   * Plans the group with other DataNodes.
   *
   * @throws IOException what failed, if that is no use
   */
  void planAgain(AgentException cause) throws IOException {
    if (plans == PLANS_MAX || !canBeElsewhere(cause)) {
      throw cause;
    }
    plans++;
    LOG.warn(
        "Planning a group of {} anew ({} of {}): {}",
        attempt.file().path(),
        plans,
        PLANS_MAX,
        cause.getMessage());
    try {
      nodes.leaveOutSilent(group.nodes());
      Map<DatanodeInfo, List<AgentBlock>> unwanted =
          group.planAgain(blocksNow(), nodes.now(), attempt.file().status().getFileId() + plans);
      announce();
      unwanted.forEach(this::unlink);
    } catch (PlacementException e) {
      cause.addSuppressed(e);
      throw cause;
    }
    Patience.pause(AGAIN_MS);
  }

  private static boolean canBeElsewhere(AgentException e) {
    return e.kind() != AgentException.Kind.DENIED && e.kind() != AgentException.Kind.BAD_REQUEST;
  }

  /** Replicas may have been moved, or lost, since the file was looked at. */
  private List<LocatedBlock> blocksNow() throws IOException {
    return job.client()
        .getLocatedBlocks(attempt.file().inodePath(), 0, Long.MAX_VALUE)
        .getLocatedBlocks()
        .subList(first, first + group.dataBlocks());
  }

  private void unlink(DatanodeInfo node, List<AgentBlock> blocks) {
    try {
      nodes.agents().unlink(node, group.pool(), blocks);
    } catch (IOException e) {
      // The journal names them: whoever takes the file back tries again. If the file comes to be,
      // the NameNode removes what is there twice.
      LOG.warn("Cannot remove what a failed plan left on {}", node.getXferAddr(), e);
    }
  }
}
