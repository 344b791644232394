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
 * The adoption of one group: requests the links of the replicas that its plan keeps. If an agent
 * fails, while linking or encoding, the group is planned again without it, a limited number of
 * times. If replicas are found to be bad, it is planned again without them, without limit.
 */
final class GroupAdoption {
  private static final Logger LOG = LoggerFactory.getLogger(GroupAdoption.class);

  /**
   * Maximum number of plans for a group: a failure on this many sets of DataNodes is likely
   * elsewhere too.
   */
  private static final int PLANS_MAX = 3;

  /** Time within which DataNodes detect that a sender is gone, and drop what it sent. */
  private static final long AGAIN_MS = 1_000;

  private final Job job;
  private final AgentNodes nodes;
  private final Attempt attempt;
  private final GroupWork group;
  private final int first;
  private int plans = 1;
  private int seeds = 1;

  /**
   * Creates the adoption of a group that the NameNode has allocated.
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

  /** Writes to the journal which internal blocks may be created. */
  void announce() throws JournalLostException {
    job.announce(
        attempt.open(),
        JournalRecord.group(attempt.open().begin().fileId, group.pool(), group.placed()));
  }

  /** Links the replicas that the plan keeps. */
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

  /**
   * Links one replica. If it has been moved or cannot be linked, the encoder sends the block
   * together with the parity.
   */
  private void link(int block) throws IOException {
    List<Link> links =
        Collections.singletonList(new Link(group.source(block), group.target(block)));
    group.linkAsked(block);
    try {
      AgentCall.await(
          job.ticker(),
          () -> {
            job.requireNotCancelled();
            job.traffic().linked(nodes.agents().link(group.dataNode(block), group.pool(), links));
          },
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
        // The NameNode has the replica's new location, so the group must be planned again.
        throw e;
      }
      LOG.info("Sending {} instead of linking it: {}", group.source(block), e.getMessage());
      group.send(block);
    }
  }

  /** Returns whether it is certain that no agent has begun the request. */
  private static boolean isNotServed(AgentException e) {
    Throwable cause = e.getCause();
    return cause instanceof ConnectException
        || e.kind() == AgentException.Kind.NO_AGENT && cause == null
        || cause instanceof RemoteException
            && ((RemoteException) cause).getClassName().endsWith("NoSuchProtocolException");
  }

  /**
   * Plans the group with other DataNodes, or with other replicas if some are bad.
   *
   * @throws IOException the cause, if another plan cannot help
   */
  void planAgain(AgentException cause) throws IOException {
    // Each such plan excludes at least one more replica, so their number is limited.
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
    Polling.pause(job.ticker(), AGAIN_MS);
  }

  private static boolean canBeElsewhere(AgentException e) {
    return e.kind() != AgentException.Kind.DENIED && e.kind() != AgentException.Kind.BAD_REQUEST;
  }

  /** Reads the locations again: replicas may have been moved or lost since the file was read. */
  private List<LocatedBlock> blocksNow() throws IOException {
    return job.client()
        .getLocatedBlocks(attempt.file().inodePath(), 0, Long.MAX_VALUE)
        .getLocatedBlocks()
        .subList(first, first + group.dataBlocks());
  }

  /**
   * Removes the blocks of an earlier plan, and waits until the NameNode has been informed.
   * Otherwise it would consider an internal block that another DataNode then has as excess, and
   * might delete the valid one.
   *
   * @throws IOException if it is not certain that all blocks are gone; the remaining ones were not
   *     verified, so the file must not be completed with these groups
   */
  private void remove(Map<DatanodeInfo, List<AgentBlock>> unwanted, AgentException cause)
      throws IOException {
    // A link whose answer was lost may be created after the first call.
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
        job.ticker(),
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
