// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.stripeline.convert.file.Attempt;
import org.stripeline.convert.file.FileRewriter;
import org.stripeline.convert.file.RangeCopy;
import org.stripeline.convert.file.StoragePolicies;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.namenode.RackRules;
import org.stripeline.convert.select.GroupCut;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.group.PlacementException;

/**
 * Creates an erasure-coded file from existing replicas. Replicas that the plan keeps are
 * hard-linked under the names of internal blocks on their DataNodes, and agents encode parity.
 *
 * <p>The links of groups are made in order, since the NameNode allocates a group only when the
 * group before the last has its data. Parity may still be written at that time. All parity is
 * present before the file is completed, since the NameNode would otherwise start to reconstruct it.
 */
public final class AdoptingRewriter implements FileRewriter {
  /** Longer than DataNodes take to report linked blocks. */
  private static final long REPORTS_MS = 15_000;

  private final Job job;
  private final AgentNodes nodes;
  private final RackRules racks;
  private final ThreadDispatcher dispatcher;

  /**
   * Creates a rewriter.
   *
   * @param racks the rules that the NameNode accepts; otherwise it would move blocks again
   */
  public AdoptingRewriter(Job job, AgentNodes nodes, RackRules racks, ThreadDispatcher dispatcher) {
    this.job = job;
    this.nodes = nodes;
    this.racks = racks;
    this.dispatcher = dispatcher;
  }

  @Override
  public long rewrite(Attempt attempt) throws IOException {
    ErasureCodingPolicy policy = attempt.policy();
    // Parity goes to the storage type that is meant for the file's blocks.
    BlockStoragePolicy storage = job.client().getStoragePolicy(attempt.file().inodePath());
    HdfsFileStatus temporary = create(attempt);
    attempt.attributes().applyEncryption(job.client(), attempt.temporary());
    job.requireInPlace(attempt.open().begin(), temporary.getFileId());
    StoragePolicies.set(job.client(), InodePath.of(temporary.getFileId()), storage.getName());
    job.reached(Step.CREATED, attempt.open());

    List<List<LocatedBlock>> groups =
        GroupCut.cut(
            attempt.blocks().getLocatedBlocks(), policy.getNumDataUnits(), policy.getCellSize());
    Deque<ThreadDispatcher.Pending> encoding = new ArrayDeque<>();
    Set<GroupWork> planned = new HashSet<>();
    AtomicBoolean isGivenUp = new AtomicBoolean();
    ExtendedBlock previous = null;
    try {
      int first = 0;
      for (int i = 0; i < groups.size(); i++) {
        job.waitWhilePaused();
        while (encoding.size() >= dispatcher.groupsAtOnce()) {
          encoding.remove().await();
        }
        GroupWork group = plan(attempt, groups.get(i), storage, temporary.getFileId() + i);
        planned.add(group);
        group.allocate(allocate(attempt, temporary, previous, group.favoredNodes(), encoding));
        GroupAdoption adoption = new GroupAdoption(job, nodes, attempt, group, first);
        adoption.announce();
        job.reached(Step.GROUP_NAMED, attempt.open());
        adoption.link();
        job.reached(Step.LINKED, attempt.open());
        boolean isWhole = group.sends() == 0;
        ThreadDispatcher.Pending begun = dispatcher.begin(attempt, adoption, isGivenUp::get);
        ThreadDispatcher.Pending encode =
            () -> {
              begun.await();
              group.close();
              planned.remove(group);
            };
        encoding.add(encode);
        if (!isWhole) {
          // The NameNode allocates no further group before this one has all of its data.
          encode.await();
        }
        previous = group.committed();
        first += group.dataBlocks();
      }
      while (!encoding.isEmpty()) {
        encoding.remove().await();
      }
    } catch (IOException | RuntimeException e) {
      // Wait for running tasks, since they must not write again what is rolled back next.
      isGivenUp.set(true);
      encoding.forEach(AdoptingRewriter::awaitQuietly);
      throw e;
    } finally {
      planned.forEach(GroupWork::close);
    }
    complete(attempt, temporary, previous);
    return temporary.getFileId();
  }

  /** Returns true: agents compare the checksums of all replicas. */
  @Override
  public boolean comparesReplicas() {
    return true;
  }

  @Override
  public void requireAsPlanned(Attempt attempt, long made) throws IOException {
    new PlannedPlaces(attempt).await(job.client(), made, job.ticker());
  }

  @Override
  public String difference(Attempt attempt, List<LocatedBlock> blocks) {
    return new PlannedPlaces(attempt).difference(blocks);
  }

  /**
   * Returns true: encoders check parity before they send it, and verify it on disk by its checksum.
   */
  @Override
  public boolean hasCheckedParity(Attempt attempt) {
    return true;
  }

  private static void awaitQuietly(ThreadDispatcher.Pending encode) {
    try {
      encode.await();
    } catch (IOException e) {
      // The first failure is reported instead.
      return;
    }
  }

  private HdfsFileStatus create(Attempt attempt) throws IOException {
    return job.namenode()
        .create(
            attempt.temporary(),
            RangeCopy.PRIVATE,
            job.leaseHolder(),
            new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
            false,
            (short) 1,
            attempt.policy().getCellSize(),
            CryptoProtocolVersion.supported(),
            attempt.policy().getName(),
            null);
  }

  private GroupWork plan(
      Attempt attempt, List<LocatedBlock> blocks, BlockStoragePolicy storage, long seed)
      throws IOException {
    ErasureCodingPolicy policy = attempt.policy();
    CodeShape shape =
        CodeShape.ofDataAndParity(policy.getNumDataUnits(), policy.getNumParityUnits());
    String path = attempt.file().path();
    try {
      return GroupWork.plan(
          blocks,
          policy,
          storage,
          live -> racks.rule(path, shape, blocks.size(), live),
          nodes.now(),
          nodes.load(),
          seed);
    } catch (PlacementException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private LocatedBlock allocate(
      Attempt attempt,
      HdfsFileStatus temporary,
      ExtendedBlock previous,
      String[] favored,
      Deque<ThreadDispatcher.Pending> encoding)
      throws IOException {
    LocatedBlock[] group = new LocatedBlock[1];
    Polling.Condition isAllocated =
        () -> {
          group[0] = tryAllocate(attempt, temporary, previous, favored);
          return group[0] != null;
        };
    if (!Polling.isMet(job.ticker(), REPORTS_MS, isAllocated)) {
      // A group that lost a DataNode after it was linked has its data again once it is encoded.
      while (!encoding.isEmpty()) {
        encoding.remove().await();
      }
      Polling.await(job.ticker(), "Cannot add a group to " + attempt.temporary(), isAllocated);
    }
    return group[0];
  }

  /** Returns null while an earlier group's data has not been reported to the NameNode. */
  private LocatedBlock tryAllocate(
      Attempt attempt, HdfsFileStatus temporary, ExtendedBlock previous, String[] favored)
      throws IOException {
    try {
      return job.namenode()
          .addBlock(
              attempt.temporary(),
              job.leaseHolder(),
              previous,
              null,
              temporary.getFileId(),
              favored,
              EnumSet.noneOf(AddBlockFlag.class));
    } catch (RemoteException e) {
      if (e.getClassName().endsWith(".NotReplicatedYetException")) {
        return null;
      }
      throw e;
    }
  }

  private void complete(Attempt attempt, HdfsFileStatus temporary, ExtendedBlock last)
      throws IOException {
    Polling.await(
        job.ticker(),
        "Cannot complete " + attempt.temporary(),
        () ->
            job.namenode()
                .complete(attempt.temporary(), job.leaseHolder(), last, temporary.getFileId()));
  }
}
