// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileEncryptionInfo;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.ipc.RemoteException;

/**
 * Converts one file: fence, make, verify, attributes, swap, each in the journal before it is done.
 *
 * <p>The file's checksum is asked for before the fence, for Hadoop gives none of files that are
 * open; equal signatures of its blocks before and after say that it is that of the fenced file.
 */
final class FileConversion {
  private final Job job;
  private final Maker maker;
  private final Policies policies;
  private final Settlement settlement;

  /**
   * Makes a converter of files.
   *
   * @param policies those of the code, or null for undoing
   */
  FileConversion(Job job, Maker maker, Policies policies, Settlement settlement) {
    this.job = job;
    this.maker = maker;
    this.policies = policies;
    this.settlement = settlement;
  }

  /**
   * Converts a file or leaves it as it was.
   *
   * @param cellBytes cell of its new policy, 0 for replication
   * @throws JournalLostException if the job cannot go on at all
   */
  Outcome convert(Candidate file, int cellBytes) throws JournalLostException {
    job.reached(Step.CHECKED, file.path());
    OpenFile open = null;
    try {
      Attributes before = Attributes.read(job.client(), file);
      FileChecksum checksum = checksum(file.inodePath(), file.bytes());
      String temporary = job.temporary(file, zone(before.status(), file.path()));
      JournalRecord begin = JournalRecord.begin(file, temporary, job.leaseHolder());
      open = new OpenFile(begin);
      job.journal().write(begin);
      job.reached(Step.BEGUN, open);
      replace(file, before, checksum, open, cellBytes);
      return end(open, Outcome.converted(file.bytes()));
    } catch (JournalLostException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      return giveUp(file, open, e);
    }
  }

  private void replace(
      Candidate file, Attributes before, FileChecksum checksum, OpenFile open, int cellBytes)
      throws IOException {
    DFSClient client = job.client();
    Fence fence = new Fence(job.namenode(), job.leaseHolder(), file.status().getFileId());
    fence.take();
    job.reached(Step.FENCED, open);

    LocatedBlocks blocks = client.getLocatedBlocks(file.inodePath(), 0, Long.MAX_VALUE);
    if (!BlockSignature.of(blocks).equals(open.begin().signature)) {
      throw new ChangedException("it was written to");
    }
    Attempt attempt = attempt(file, before, checksum, open, blocks, cellBytes);
    long made = maker.make(attempt);
    job.reached(Step.MADE, open);

    String temporary = attempt.temporary();
    Redundancy.await(client, temporary, attempt.policy(), attempt.replication());
    verify(attempt, checksum);
    job.reached(Step.VERIFIED, open);

    applyAttributes(attempt);
    job.reached(Step.ATTRIBUTED, open);

    job.announce(open, JournalRecord.swap(file.status().getFileId(), made));
    job.reached(Step.SWAP_NAMED, open);

    fence.confirm();
    swap(temporary, file);
    job.reached(Step.SWAPPED, open);
  }

  private Attempt attempt(
      Candidate file,
      Attributes before,
      FileChecksum checksum,
      OpenFile open,
      LocatedBlocks blocks,
      int cellBytes)
      throws IOException {
    ErasureCodingPolicy policy = cellBytes == 0 ? null : policies.get(policies.name(cellBytes));
    FileEncryptionInfo encryption = before.status().getFileEncryptionInfo();
    String source = encryption == null ? file.inodePath() : "/.reserved/raw" + file.path();
    return new Attempt.Builder(file, open)
        .source(source)
        .policy(policy)
        .replication(policy == null ? Origin.replication(before.extended()) : 0)
        .attributes(before)
        .checksums(checksum.getChecksumOpt())
        .blocks(blocks)
        .build();
  }

  private String zone(HdfsFileStatus status, String path) throws IOException {
    return status.getFileEncryptionInfo() == null
        ? null
        : job.client().getEZForPath(path).getPath();
  }

  private FileChecksum checksum(String path, long bytes) throws IOException {
    FileChecksum checksum = job.client().getFileChecksumWithCombineMode(path, bytes);
    if (checksum == null) {
      throw new IOException("it has no checksums to compare by");
    }
    return checksum;
  }

  /** Composite CRCs do not depend on how a file is laid out; DataNodes have their parts at hand. */
  private void verify(Attempt attempt, FileChecksum original) throws IOException {
    HdfsFileStatus status = job.client().getFileInfo(attempt.temporary());
    long bytes = attempt.file().bytes();
    if (status == null || status.getLen() != bytes) {
      throw new IOException(
          "the new file has " + (status == null ? "no" : status.getLen()) + " bytes instead of "
              + bytes);
    }
    FileChecksum made = checksum(attempt.temporary(), bytes);
    if (!made.equals(original)) {
      throw new IOException("checksums differ: " + original + " before, " + made + " after");
    }
    if (attempt.policy() != null && !maker.hasCheckedParity(attempt)) {
      ParityCheck.check(
          job.fs(), attempt.temporary(), attempt.policy(), job.throttle()::take);
    }
  }

  /** Once more if the user changed some meanwhile; who goes on changing them keeps the file. */
  private void applyAttributes(Attempt attempt) throws IOException {
    int origin = origin(attempt);
    long accessedMs = attempt.file().status().getAccessTime();
    Attributes latest = Attributes.read(job.client(), attempt.file());
    for (int round = 0; round < 3; round++) {
      latest.apply(
          job.client(), attempt.temporary(), origin, job.settings().storagePolicy, accessedMs);
      Attributes now = Attributes.read(job.client(), attempt.file());
      if (now.isSame(latest)) {
        return;
      }
      latest = now;
    }
    throw new ChangedException("its attributes keep changing");
  }

  private static int origin(Attempt attempt) {
    if (attempt.policy() == null) {
      return Origin.FORGET;
    }
    HdfsFileStatus status = attempt.attributes().status();
    return status.getErasureCodingPolicy() == null ? status.getReplication() : Origin.KEEP;
  }

  private void swap(String temporary, Candidate file) throws IOException {
    try {
      job.namenode().rename2(temporary, file.inodePath(), Options.Rename.OVERWRITE);
    } catch (RemoteException e) {
      IOException cause = e.unwrapRemoteException(FileNotFoundException.class);
      throw cause == e ? e : new ChangedException("it was deleted or replaced", cause);
    }
  }

  private Outcome giveUp(Candidate file, OpenFile open, Exception cause)
      throws JournalLostException {
    String reason = Reasons.of(cause);
    boolean changed = cause instanceof ChangedException || cause instanceof FileNotFoundException;
    if (open == null) {
      return changed ? Outcome.changed(reason) : Outcome.failed(reason);
    }
    try {
      // What is thrown does not say whether the NameNode did it: look.
      if (settlement.settle(open) == Settlement.Result.SWAPPED) {
        return end(open, Outcome.converted(file.bytes()));
      }
    } catch (IOException | RuntimeException e) {
      // It stays open in the journal, for --resume.
      return Outcome.unsettled(
          reason + "; and what was begun could not be taken back: " + Reasons.of(e)
              + "; run the command again with --resume");
    }
    return end(open, changed ? Outcome.changed(reason) : Outcome.failed(reason));
  }

  private Outcome end(OpenFile open, Outcome outcome) throws JournalLostException {
    job.journal().write(JournalRecord.end(open.begin().path, open.begin().fileId, outcome));
    job.reached(Step.ENDED, open);
    return outcome;
  }
}
