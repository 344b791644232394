// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.ipc.RemoteException;
import org.stripeline.convert.job.BlockSignature;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileMeter;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Job;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.OpenFile;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.TemporaryPlaces;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.SnapshotIndex;
import org.stripeline.placement.CodeName;

/**
 * Converts one file: creates the temporary file, verifies it, copies the attributes, takes the
 * lease, and swaps. Each step is written to the journal before it is done.
 *
 * <p>Everything that is read of the file is read before its lease is taken. Equal signatures of the
 * blocks before and after show that it is the file whose lease is held.
 */
public final class FileConversion {
  private final Job job;
  private final FileRewriter rewriter;
  private final Policies policies;
  private final Recovery recovery;
  private final Decryption decryption;
  private final LockQuotas quotas = new LockQuotas();

  /**
   * Creates a converter.
   *
   * @param policies policies of the code, or null to undo conversions
   */
  public FileConversion(Job job, FileRewriter rewriter, Policies policies, Recovery recovery) {
    this.job = job;
    this.rewriter = rewriter;
    this.policies = policies;
    this.recovery = recovery;
    decryption = new Decryption(job.client());
  }

  /**
   * Converts a file, or leaves it unchanged.
   *
   * @param decision the code that the file gets, or replication
   * @param snapshots the snapshots that were known when the file was judged
   * @param meter counts what is read and written
   * @throws JournalLostException if the job cannot continue at all
   */
  public FileOutcome convert(
      Candidate file, FileDecision decision, SnapshotIndex snapshots, FileMeter meter)
      throws JournalLostException {
    job.reached(Step.CHECKED, file.path());
    OpenFile open = null;
    try {
      Attributes before = Attributes.read(job.client(), file.status().getFileId());
      requireUnprotected(before.permission());
      FileChecksum checksum = checksum(file.inodePath(), file.bytes());
      TemporaryPlaces.Place place = job.places().find(zone(before.status(), file.inodePath()));
      String temporary = place.path() + "/" + job.temporaryName(file);
      JournalRecord begin = JournalRecord.begin(file, temporary, place.id(), job.leaseHolder());
      // Read now, before the file is read. The listing may be hours old.
      begin.accessedMs = before.status().getAccessTime();
      CodeName code = decision.code();
      if (code != null) {
        begin.policy = policies.name(code);
        begin.layout = decision.treatment().layout();
      }
      open = new OpenFile(begin);
      job.journal().write(begin);
      job.reached(Step.BEGUN, open);
      replace(file, before, checksum, open, snapshots, meter);
      return end(open, FileOutcome.converted(file.bytes()));
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      return giveUp(file, open, e);
    }
  }

  private static void requireUnprotected(FsPermission permission) throws IOException {
    if (Swap.isProtected(permission)) {
      throw new IOException(
          "its permission "
              + permission
              + " is that of a file during a swap: finish the job that set it with --resume, or"
              + " set the permission again");
    }
  }

  private void replace(
      Candidate file,
      Attributes before,
      FileChecksum checksum,
      OpenFile open,
      SnapshotIndex snapshots,
      FileMeter meter)
      throws IOException {
    DFSClient client = job.client();
    quotas.require(file);
    LocatedBlocks blocks = blocksAsBegun(file, open);
    if (blocks.isUnderConstruction()) {
      throw new ChangedException("open for writing by another client");
    }
    blocks = ReplicaQuorum.await(client, before.status(), blocks, job.ticker());
    Attempt attempt = attempt(file, before, checksum, open, blocks, meter);
    meter.expect(bytesToMove(attempt));
    if (!rewriter.comparesReplicas()) {
      checkSource(attempt, checksum);
    }
    long made = rewriter.rewrite(attempt);
    job.reached(Step.MADE, open);

    Redundancy.await(
        client, InodePath.of(made), attempt.policy(), attempt.replication(), job.ticker());
    verify(attempt, made, checksum);
    job.reached(Step.VERIFIED, open);

    Swap swap = new Swap(job, attempt, rewriter, made, snapshots);
    // Late, so that block reports of DataNodes that were silent are included. Before the
    // attributes, because reading block locations sets the access time.
    rewriter.requireAsPlanned(attempt, made);
    swap.giveAttributes();
    job.reached(Step.ATTRIBUTED, open);

    // A file that is deleted while it is open stays open in the snapshots that contain it, and HDFS
    // no longer replicates its last block. A snapshot can be taken at any time, and have the file
    // at another path, so the lease of every file is taken as late as possible.
    // The last check finds lost blocks too, but then its wait for reports would keep users waiting.
    swap.requireWhole();
    Fence fence = take(file, open);
    blocksAsBegun(file, open);
    swap.announce();
    swap.run(fence);
    quotas.freed(file);
    job.reached(Step.SWAPPED, open);
  }

  private Fence take(Candidate file, OpenFile open) throws IOException {
    long fileId = file.status().getFileId();
    HdfsFileStatus now = InodePath.status(job.client(), fileId);
    if (now == null) {
      throw new ChangedException("it was deleted or replaced");
    }
    // Otherwise this would end the swap of another job that has closed the file already.
    requireUnprotected(new FsPermission(now.getPermission().toShort()));
    // Before the lease is taken: only this record has the time if the NameNode ends the lease.
    JournalRecord fenced = JournalRecord.fenced(fileId, now.getModificationTime());
    job.journal().write(fenced);
    Fence fence = new Fence(job.namenode(), job.leaseHolder(), fileId, job.ticker());
    try {
      fence.take();
    } catch (RemoteException e) {
      quotas.refused(file, e);
      throw e;
    }
    try {
      // Another job may have prepared its swap since.
      requireUnprotected(fence.permission());
      if (fence.modifiedMs() != now.getModificationTime()) {
        fenced = JournalRecord.fenced(fileId, fence.modifiedMs());
        job.journal().write(fenced);
      }
      // Not before: times of a file whose lease was not taken are not restored.
      open.add(fenced);
    } catch (IOException e) {
      // Nothing else would restore the time that the end of the lease changes.
      releaseQuietly(fence, open, e);
      throw e;
    }
    job.reached(Step.FENCED, open);
    return fence;
  }

  private static void releaseQuietly(Fence fence, OpenFile open, IOException cause) {
    try {
      fence.release(fence.modifiedMs(), open.begin().accessedMs);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  private LocatedBlocks blocksAsBegun(Candidate file, OpenFile open) throws IOException {
    LocatedBlocks blocks = job.client().getLocatedBlocks(file.inodePath(), 0, Long.MAX_VALUE);
    if (!BlockSignature.of(blocks).equals(open.begin().signature)) {
      throw new ChangedException("it was written to");
    }
    return blocks;
  }

  /**
   * Checks that all replicas or internal blocks of the source agree. After the swap deletes them,
   * corruption of the replica that was copied could not be detected any more.
   */
  private void checkSource(Attempt attempt, FileChecksum checksum) throws IOException {
    ErasureCodingPolicy policy = attempt.attributes().status().getErasureCodingPolicy();
    if (policy == null) {
      int replicas = ReplicaQuorum.expected(job.client(), attempt.attributes().status());
      ReplicaAgreement.check(
          job.client(), attempt.file().path(), replicas, attempt.blocks(), checksum);
    } else {
      ParityCheck.checkWhatIsLeft(
          job.fs(), attempt.source(), policy, count -> job.move(attempt.meter(), count));
    }
  }

  private Attempt attempt(
      Candidate file,
      Attributes before,
      FileChecksum checksum,
      OpenFile open,
      LocatedBlocks blocks,
      FileMeter meter)
      throws IOException {
    String name = open.begin().policy;
    ErasureCodingPolicy policy = name == null ? null : policies.get(name);
    return new Attempt.Builder(file, open)
        .source(file.inodePath())
        .policy(policy)
        .replication(policy == null ? job.settings().replication(before.extended()) : 0)
        .attributes(before)
        .checksums(checksum.getChecksumOpt())
        .blocks(blocks)
        .meter(meter)
        .build();
  }

  /** Returns how many bytes this job will read and write for a file, as its meter counts them. */
  private long bytesToMove(Attempt attempt) {
    long bytes = attempt.file().bytes();
    ErasureCodingPolicy source = attempt.attributes().status().getErasureCodingPolicy();
    long sum = bytes;
    if (source != null && !rewriter.comparesReplicas()) {
      sum += raw(bytes, source);
    }
    if (!rewriter.hasCheckedParity(attempt)) {
      sum +=
          attempt.policy() == null ? bytes * attempt.replication() : raw(bytes, attempt.policy());
    }
    return sum;
  }

  private static long raw(long bytes, ErasureCodingPolicy policy) {
    return bytes
        / policy.getNumDataUnits()
        * (policy.getNumDataUnits() + policy.getNumParityUnits());
  }

  private String zone(HdfsFileStatus status, String path) throws IOException {
    return status.getFileEncryptionInfo() == null
        ? null
        : job.client().getEZForPath(path).getPath();
  }

  private FileChecksum checksum(String path, long bytes) throws IOException {
    FileChecksum checksum = job.client().getFileChecksumWithCombineMode(path, bytes);
    if (checksum == null) {
      throw new IOException("it has no checksums to compare");
    }
    return checksum;
  }

  /**
   * Compares lengths and composite CRCs, then checks parity or replicas. Composite CRCs do not
   * depend on the layout of a file, and DataNodes compute them from stored checksums.
   */
  private void verify(Attempt attempt, long made, FileChecksum original) throws IOException {
    String path = InodePath.of(made);
    HdfsFileStatus status = InodePath.status(job.client(), made);
    long bytes = attempt.file().bytes();
    if (status == null || status.getLen() != bytes) {
      throw new IOException(
          "the new file has "
              + (status == null ? "no" : status.getLen())
              + " bytes instead of "
              + bytes);
    }
    FileChecksum copy = checksum(path, bytes);
    if (!copy.equals(original)) {
      throw new IOException("checksums differ: " + original + " before, " + copy + " after");
    }
    ParityCheck.Watcher watcher = count -> job.move(attempt.meter(), count);
    if (attempt.policy() == null && !rewriter.hasCheckedParity(attempt)) {
      ReadBackCheck.check(job.fs(), path, original, watcher);
    } else if (!rewriter.hasCheckedParity(attempt)) {
      ParityCheck.check(job.fs(), path, attempt.policy(), watcher);
    }
    if (status.getFileEncryptionInfo() != null) {
      decryption.compare(attempt.file().inodePath(), path);
    }
  }

  private FileOutcome giveUp(Candidate file, OpenFile open, Exception cause)
      throws JournalLostException {
    String reason = Reasons.of(cause);
    boolean changed =
        cause instanceof ChangedException
            || cause instanceof IOException && InodePath.isGone((IOException) cause);
    if (open == null) {
      return changed ? FileOutcome.changed(reason) : FileOutcome.failed(reason);
    }
    try {
      // The exception does not show whether the NameNode performed the swap, so check its state.
      if (recovery.recover(open) == Recovery.Result.SWAPPED) {
        return end(open, FileOutcome.converted(file.bytes()));
      }
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // The file stays open in the journal, for --resume.
      return FileOutcome.unrecovered(
          reason
              + "; and the work in progress could not be rolled back: "
              + Reasons.of(e)
              + "; run the command again with --resume");
    }
    return end(open, changed ? FileOutcome.changed(reason) : FileOutcome.failed(reason));
  }

  private FileOutcome end(OpenFile open, FileOutcome outcome) throws JournalLostException {
    job.journal().write(JournalRecord.end(open.begin().path, open.begin().fileId, outcome));
    job.reached(Step.ENDED, open);
    return outcome;
  }
}
