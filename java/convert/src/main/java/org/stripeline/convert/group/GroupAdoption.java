// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.net.ConnectException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.agent.AgentBlock;
import org.stripeline.agent.AgentException;
import org.stripeline.agent.BadReplica;
import org.stripeline.agent.Link;
import org.stripeline.convert.file.Attempt;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Polling;
import org.stripeline.placement.group.PlacementException;

/**
 * One group on its way: has the agents link what its plan keeps. When an agent fails, now or when
 * it encodes, the group is planned again, with others in its place, some times; and as often as
 * replicas are found to be bad, without them.
 */
public final class GroupAdoption {
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
  private int seeds = 1;

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

  public GroupWork group() {
    return group;
  }

  /** Writes into the journal which internal blocks may come to be. */
  void announce() throws JournalLostException {
    job.announce(
        attempt.open(),
        JournalRecord.group(attempt.open().begin().fileId, group.pool(), group.placed()));
  }

  /** Links what the plan keeps. */
  public void link() throws IOException {
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
    group.linkAsked(block);
    try {
      AgentCall.await(
          () ->
              job.traffic().linked(nodes.agents().link(group.dataNode(block), group.pool(), links)),
          AgentCall.LINK_BUSY_MS);
      group.linked(block);
    } catch (AgentException e) {
      if (isNotServed(e)) {
        group.linkRefused(block);
      }
      if (e.kind() == AgentException.Kind.CORRUPT) {
        throw new AgentException(
            e.getMessage(),
            Collections.singletonList(
                new BadReplica(block, group.dataNode(block).getDatanodeUuid())));
      }
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

  /** Tells whether it is certain that no agent has begun what was asked for. */
  private static boolean isNotServed(AgentException e) {
    Throwable cause = e.getCause();
    return cause instanceof ConnectException
        || e.kind() == AgentException.Kind.NO_AGENT && cause == null
        || cause instanceof RemoteException
            && ((RemoteException) cause).getClassName().endsWith("NoSuchProtocolException");
  }

  /**
   * Plans the group with other DataNodes, or with other replicas where some are bad.
   *
   * @throws IOException what failed, if that is no use
   */
  public void planAgain(AgentException cause) throws IOException {
    // Each plan of this kind leaves out one more replica at least, so they come to an end.
    boolean isWithoutBad = group.leaveOut(cause.bad());
    if (!isWithoutBad && (plans == PLANS_MAX || !canBeElsewhere(cause))) {
      throw cause;
    }
    plans += isWithoutBad ? 0 : 1;
    seeds++;
    LOG.warn(
        "Planning a group of {} again ({} of {} plans for failed DataNodes): {}",
        attempt.file().path(),
        plans,
        PLANS_MAX,
        cause.getMessage());
    try {
      nodes.leaveOutSilent(group.nodes());
      Map<DatanodeInfo, List<AgentBlock>> unwanted =
          group.planAgain(blocksNow(), nodes.now(), attempt.file().status().getFileId() + seeds);
      announce();
      remove(unwanted, cause);
    } catch (PlacementException e) {
      if (isWithoutBad) {
        throw new IOException(e.getMessage() + " (" + cause.getMessage() + ")", cause);
      }
      cause.addSuppressed(e);
      throw cause;
    }
    Polling.pause(AGAIN_MS);
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

  /**
   * Removes what a plan left, and waits until the NameNode knows. It would take an internal block
   * that another DataNode then has for one too many, and might have that one removed.
   *
   * @throws IOException if it is not certain that all of it is gone; nothing of what stays was
   *     verified, so the file must not come to be with these groups
   */
  private void remove(Map<DatanodeInfo, List<AgentBlock>> unwanted, AgentException cause)
      throws IOException {
    // A link whose answer was lost may be made after the first call.
    for (int call = 0; call < 2; call++) {
      for (Map.Entry<DatanodeInfo, List<AgentBlock>> left : unwanted.entrySet()) {
        unlink(left.getKey(), left.getValue(), cause);
      }
      awaitHeartbeats(unwanted.keySet());
    }
  }

  private void unlink(DatanodeInfo node, List<AgentBlock> blocks, AgentException cause)
      throws IOException {
    try {
      nodes.agents().unlink(node, group.pool(), blocks);
    } catch (IOException e) {
      e.addSuppressed(cause);
      throw new IOException(
          "Cannot plan a group again after this failure: "
              + cause.getMessage()
              + "; DataNode "
              + node.getXferAddr()
              + " does not confirm that it has removed what it had of the"
              + " group, "
              + blocks
              + " ("
              + e.getMessage()
              + "); convert the file again when its agent answers",
          e);
    }
  }

  private void awaitHeartbeats(Set<DatanodeInfo> of) throws IOException {
    if (of.isEmpty()) {
      return;
    }
    AgentNodes.Snapshot before = nodes.fresh();
    Polling.await(
        "Cannot plan a group again: DataNodes do not report to the NameNode",
        () -> {
          AgentNodes.Snapshot now = nodes.fresh();
          for (DatanodeInfo node : of) {
            DatanodeInfo seen = now.find(node.getDatanodeUuid());
            DatanodeInfo earlier = before.find(node.getDatanodeUuid());
            if (seen != null
                && earlier != null
                && seen.getLastUpdate() == earlier.getLastUpdate()) {
              return false;
            }
          }
          return true;
        });
  }
}
