// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.rules.Adviser;
import org.stripeline.convert.rules.FileRules;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SpaceUse;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.convert.rules.Treatment;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.placement.CodeName;

/** Decides for each file of the tree whether it is converted or skipped, and why. */
public final class FileJudge {
  private final JobSettings settings;
  private final DFSClient client;
  private final FileChecks checks;
  private final Map<Long, JournalRecord> begun;
  private final long nowMs;
  private final CodeName code;
  private final Adviser adviser;
  private final Policies policies;

  /** DataNodes in service, which is the maximum of replicas that a block can have. */
  private final int nodes;

  /**
   * Returns a judge for the current time and the current snapshots.
   *
   * @param begun the journal's records of interrupted conversions, by inode id
   * @param policies decides whose policy is used; null to judge all files as if theirs were
   */
  static FileJudge of(
      JobSettings settings,
      DistributedFileSystem fs,
      Map<Long, JournalRecord> begun,
      Policies policies)
      throws IOException {
    return new FileJudge(
        settings,
        fs.getClient(),
        FileChecks.limits(fs),
        begun,
        policies,
        System.currentTimeMillis());
  }

  /** Creates a judge, see {@link #of}. */
  public FileJudge(
      JobSettings settings,
      DFSClient client,
      AttributeJudge attributes,
      Map<Long, JournalRecord> begun,
      Policies policies,
      long nowMs)
      throws IOException {
    this.settings = settings;
    this.client = client;
    this.begun = begun;
    this.policies = policies;
    this.nowMs = nowMs;
    checks =
        new FileChecks(
            client, attributes, settings.rules.includeSnapshotted, settings.storagePolicy != null);
    code = settings.undo ? null : settings.code().withCell(settings.cellBytes);
    adviser = settings.undo ? null : new Adviser(code, settings.allowStaleReaders);
    nodes = settings.undo ? ClusterFacts.of(client).nodes().size() : 0;
  }

  /** Returns the snapshots that files are checked against. */
  SnapshotIndex snapshots() {
    return checks.snapshots();
  }

  /**
   * Judges a file by its entry in the listing, and by its extended attributes and snapshots if
   * needed.
   *
   * @throws java.io.FileNotFoundException if these are needed and the file is gone
   */
  public FileDecision judge(Candidate file) throws IOException {
    HdfsLocatedFileStatus status = file.status();
    if (status.isSymlink()) {
      return FileDecision.skip(SkipReason.SYMLINK, 0);
    }
    long now = SpaceUse.now(file);
    SkipReason reason = generalReason(file);
    if (reason != null) {
      return FileDecision.skip(reason, now);
    }
    FileDecision decision = settings.undo ? undo(file, now) : convert(file, now);
    if (decision.isConvert()) {
      long fileId = status.getFileId();
      reason =
          settings.undo
              ? checks.ofSnapshots(file.path(), fileId)
              : checks.reason(file.path(), fileId);
    }
    // Last, because only files that would be converted count when policies are admitted.
    if (decision.isConvert() && reason == null && policies != null) {
      reason = policies.reason(decision.policy());
    }
    if (reason != null) {
      return FileDecision.skip(reason, now);
    }
    boolean isKept = decision.isConvert() && checks.isKept(file.path(), status.getFileId());
    return isKept ? decision.keptBySnapshot() : decision;
  }

  private SkipReason generalReason(Candidate file) {
    HdfsLocatedFileStatus status = file.status();
    boolean isSelected =
        settings.rules.selects(
            file.path(), status.getOwner(), status.getLen(), status.getModificationTime(), nowMs);
    return isSelected ? FileRules.general(file, isSynced(file)) : SkipReason.RULE;
  }

  private boolean isSynced(Candidate file) {
    // Undoing restores replication, which is what the writers of synced files need.
    boolean takesSynced = settings.rules.includeSynced || settings.undo;
    return !takesSynced && SyncedPaths.find(file.path()) >= 0;
  }

  private FileDecision undo(Candidate file, long now) throws IOException {
    if (file.status().getErasureCodingPolicy() == null) {
      return FileDecision.skip(SkipReason.ALREADY, now);
    }
    Map<String, byte[]> extended = client.getXAttrs(file.inodePath());
    int replication = settings.replication(extended);
    if (replication == 0) {
      return FileDecision.skip(SkipReason.NOT_CONVERTED, now);
    }
    if (replication > nodes) {
      return FileDecision.skip(SkipReason.REPLICATION, now);
    }
    SkipReason reason = checks.ofUndone(extended);
    if (reason != null) {
      return FileDecision.skip(reason, now);
    }
    return FileDecision.replicate(now, file.bytes() * replication);
  }

  private FileDecision convert(Candidate file, long now) {
    if (settings.layout == Layout.AUTO) {
      FileDecision begun = asBegun(file, now);
      return begun == null ? advised(file, now) : begun;
    }
    return laidOut(file, now, settings.layout, code);
  }

  /** Returns the decision that {@code plan} prints for the file. */
  private FileDecision advised(Candidate file, long now) {
    adviser.consider(file, isSynced(file));
    return adviser.reason() != null
        ? FileDecision.skip(adviser.reason(), now)
        : FileDecision.convert(
            adviser.treatment(), adviser.codeAfter(file.blockBytes()), now, adviser.bytesAfter());
  }

  /**
   * Returns the decision that the journal has for a file whose conversion was interrupted, so that
   * the file gets the layout that was announced for it; null if there is none, or if the file has
   * changed so that it would not shrink any more.
   */
  private FileDecision asBegun(Candidate file, long now) {
    JournalRecord record = begun.get(file.status().getFileId());
    if (record == null || record.policy == null) {
      return null;
    }
    CodeName recorded = CodeName.parse(record.policy);
    FileDecision again = laidOut(file, now, record.layout, recorded);
    boolean isSmaller = record.layout == Layout.CONTIGUOUS && !recorded.isSameCode(code);
    return !again.isConvert()
        ? null
        : FileDecision.convert(
            isSmaller ? Treatment.SMALLER_CODE : again.treatment(),
            again.code(),
            now,
            again.bytesAfter());
  }

  private static FileDecision laidOut(Candidate file, long now, Layout layout, CodeName wanted) {
    SkipReason reason = FileRules.ofLayout(file, wanted, layout);
    if (reason != null) {
      return FileDecision.skip(reason, now);
    }
    boolean isStriped = layout == Layout.STRIPED;
    return FileDecision.convert(
        Treatment.of(layout),
        isStriped ? wanted : wanted.withCell((int) file.blockBytes()),
        now,
        FileRules.bytesAfter(file, wanted, layout));
  }
}
