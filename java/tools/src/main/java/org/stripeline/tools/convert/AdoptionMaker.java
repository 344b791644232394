// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.placement.PlacementException;
import org.stripeline.server.agent.AgentException;
import org.stripeline.server.agent.Link;

/**
 * Makes a coded file out of the replicas where they lie: those that the plan keeps are linked under
 * the names of internal blocks, parity is encoded next to them.
 *
 * <p>Links of a group come one after the other, since the NameNode makes a group only when the one
 * before the last has its data; its parity may still be on its way meanwhile. All parity is there
 * before the file is completed, or the NameNode would begin to make its own.
 */
final class AdoptionMaker implements Maker {
  private static final Logger LOG = LoggerFactory.getLogger(AdoptionMaker.class);

  private static final FsPermission PRIVATE = new FsPermission((short) 0600);

  private final Job job;
  private final AgentNodes nodes;
  private final GroupEncoder encoder;

  AdoptionMaker(Job job, AgentNodes nodes, GroupEncoder encoder) {
    this.job = job;
    this.nodes = nodes;
    this.encoder = encoder;
  }

  @Override
  public long make(Attempt attempt) throws IOException {
    ErasureCodingPolicy policy = attempt.policy();
    HdfsFileStatus temporary = create(attempt);
    attempt.attributes().applyEncryption(job.client(), attempt.temporary());
    job.reached(Step.CREATED, attempt.open());

    List<List<LocatedBlock>> groups =
        GroupCut.cut(
            attempt.blocks().getLocatedBlocks(), policy.getNumDataUnits(), policy.getCellSize());
    Deque<GroupEncoder.Pending> encoding = new ArrayDeque<>();
    AtomicBoolean isGivenUp = new AtomicBoolean();
    ExtendedBlock previous = null;
    try {
      for (int i = 0; i < groups.size(); i++) {
        job.waitWhilePaused();
        while (encoding.size() >= encoder.groupsAtOnce()) {
          encoding.remove().await();
        }
        GroupWork group = plan(groups.get(i), i, policy, temporary.getFileId() + i);
        group.allocate(allocate(attempt, temporary, previous, group.favoredNodes()));
        job.announce(
            attempt.open(),
            JournalRecord.group(attempt.open().begin().fileId, group.pool(), group.placed()));
        job.reached(Step.GROUP_NAMED, attempt.open());
        link(group);
        job.reached(Step.LINKED, attempt.open());
        GroupEncoder.Pending encode = encoder.begin(attempt, group, isGivenUp::get);
        encoding.add(encode);
        if (group.sends() > 0) {
          // The NameNode makes no further group before this one has all of its data.
          encode.await();
        }
        previous = group.committed();
      }
      while (!encoding.isEmpty()) {
        encoding.remove().await();
      }
    } catch (IOException | RuntimeException e) {
      // What is taken back next must not be written again by what still runs.
      isGivenUp.set(true);
      encoding.forEach(AdoptionMaker::awaitQuietly);
      throw e;
    }
    encoder.finish(attempt);
    complete(attempt, temporary, previous);
    return temporary.getFileId();
  }

  private static void awaitQuietly(GroupEncoder.Pending encode) {
    try {
      encode.await();
    } catch (IOException e) {
      // The first failure is the one that is told.
      return;
    }
  }

  private HdfsFileStatus create(Attempt attempt) throws IOException {
    HdfsFileStatus created =
        job.namenode()
            .create(
                attempt.temporary(),
                PRIVATE,
                job.leaseHolder(),
                new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
                false,
                (short) 1,
                attempt.policy().getCellSize(),
                CryptoProtocolVersion.supported(),
                attempt.policy().getName(),
                null);
    // Parity goes to the kind of disk that the file's blocks are meant for.
    String storage = job.client().getStoragePolicy(attempt.file().inodePath()).getName();
    job.client().setStoragePolicy(attempt.temporary(), storage);
    return created;
  }

  private GroupWork plan(
      List<LocatedBlock> blocks, int number, ErasureCodingPolicy policy, long seed)
      throws IOException {
    try {
      return GroupWork.plan(blocks, number, policy, nodes.now(), seed);
    } catch (PlacementException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private LocatedBlock allocate(
      Attempt attempt, HdfsFileStatus temporary, ExtendedBlock previous, String[] favored)
      throws IOException {
    LocatedBlock[] group = new LocatedBlock[1];
    Patience.await(
        "Cannot add a group to " + attempt.temporary(),
        () -> {
          try {
            group[0] =
                job.namenode()
                    .addBlock(
                        attempt.temporary(),
                        job.leaseHolder(),
                        previous,
                        null,
                        temporary.getFileId(),
                        favored,
                        EnumSet.noneOf(AddBlockFlag.class));
            return true;
          } catch (RemoteException e) {
            if (e.getClassName().endsWith(".NotReplicatedYetException")) {
              return false;
            }
            throw e;
          }
        });
    return group[0];
  }

  private void link(GroupWork group) throws IOException {
    for (int i = 0; i < group.dataBlocks(); i++) {
      if (group.isAdopted(i)) {
        link(group, i);
      }
    }
  }

  /** A replica that was moved away meanwhile, or cannot be linked, is sent with the parity. */
  private void link(GroupWork group, int block) throws IOException {
    List<Link> links =
        Collections.singletonList(new Link(group.source(block), group.target(block)));
    try {
      AgentTurn.await(
          () ->
              job.traffic()
                  .linked(nodes.agents().link(group.dataNode(block), group.pool(), links)));
    } catch (AgentException e) {
      if (e.kind() != AgentException.Kind.CHANGED && e.kind() != AgentException.Kind.FAILED) {
        throw e;
      }
      LOG.info("Sending {} instead of linking it: {}", group.source(block), e.getMessage());
      group.send(block);
    }
  }

  private void complete(Attempt attempt, HdfsFileStatus temporary, ExtendedBlock last)
      throws IOException {
    Patience.await(
        "Cannot complete " + attempt.temporary(),
        () ->
            job.namenode()
                .complete(attempt.temporary(), job.leaseHolder(), last, temporary.getFileId()));
  }
}
