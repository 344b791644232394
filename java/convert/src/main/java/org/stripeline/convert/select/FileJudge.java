// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.rules.FileRules;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.rules.SpaceUse;
import org.stripeline.convert.rules.SyncedPaths;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.Origin;
import org.stripeline.placement.CodeName;

/** Decides for each file of the tree whether it is converted or skipped, and why. */
public final class FileJudge {
  private final JobSettings settings;
  private final DFSClient client;
  private final SnapshotIndex snapshots;
  private final AttributeJudge attributes;
  private final long nowMs;
  private final CodeName code;

  /** DataNodes in service, which is the maximum of replicas that a block can have. */
  private final int nodes;

  /** Returns a judge for the current time and the current snapshots. */
  static FileJudge of(JobSettings settings, DistributedFileSystem fs) throws IOException {
    AttributeJudge attributes =
        new AttributeJudge(() -> NameNodeLimits.ask(fs.getUri(), fs.getConf()));
    return new FileJudge(settings, fs.getClient(), attributes, System.currentTimeMillis());
  }

  public FileJudge(JobSettings settings, DFSClient client, AttributeJudge attributes, long nowMs)
      throws IOException {
    this.settings = settings;
    this.client = client;
    this.attributes = attributes;
    this.nowMs = nowMs;
    snapshots = new SnapshotIndex(client);
    code = settings.undo ? null : settings.code();
    nodes = settings.undo ? ClusterFacts.of(client).nodes().size() : 0;
  }

  /** Returns the snapshots that files are checked against. */
  SnapshotIndex snapshots() {
    return snapshots;
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
    if (decision.isConvert()
        && !settings.rules.includeSnapshotted
        && snapshots.keeps(file.path(), status.getFileId())) {
      return FileDecision.skip(SkipReason.SNAPSHOTTED, now);
    }
    if (decision.isConvert() && !settings.undo) {
      reason = attributes.judge(extended(file), added());
      return reason == null ? decision : FileDecision.skip(reason, now);
    }
    return decision;
  }

  /** Returns the extended attributes that record the original state of converted files. */
  private List<String> added() {
    return settings.storagePolicy == null
        ? Collections.singletonList(Origin.ATTRIBUTE)
        : Arrays.asList(Origin.ATTRIBUTE, Origin.STORAGE_POLICY);
  }

  private Map<String, byte[]> extended(Candidate file) throws IOException {
    return client.getXAttrs(file.inodePath());
  }

  private SkipReason generalReason(Candidate file) {
    HdfsLocatedFileStatus status = file.status();
    FileFilter rules = settings.rules;
    if (!rules.matches(file.path())
        || (rules.owner != null && !rules.owner.equals(status.getOwner()))
        || status.getLen() < rules.bytesMin
        || nowMs - status.getModificationTime() < rules.ageMsMin) {
      return SkipReason.RULE;
    }
    // Undoing restores replication, which is what the writers of synced files need.
    boolean takesSynced = rules.includeSynced || settings.undo;
    return FileRules.general(file, !takesSynced && SyncedPaths.find(file.path()) >= 0);
  }

  private FileDecision undo(Candidate file, long now) throws IOException {
    if (file.status().getErasureCodingPolicy() == null) {
      return FileDecision.skip(SkipReason.ALREADY, now);
    }
    Map<String, byte[]> extended = extended(file);
    int replication = settings.replication(extended);
    if (replication == 0) {
      return FileDecision.skip(SkipReason.NOT_CONVERTED, now);
    }
    if (replication > nodes) {
      return FileDecision.skip(SkipReason.REPLICATION, now);
    }
    SkipReason reason = attributes.judge(extended, Collections.emptyList());
    if (reason != null) {
      return FileDecision.skip(reason, now);
    }
    return FileDecision.convert(now, file.bytes() * replication, 0);
  }

  private FileDecision convert(Candidate file, long now) {
    boolean striped = settings.layout == Layout.STRIPED;
    CodeName wanted = code.withCell(striped ? settings.cellBytes : 0);
    SkipReason reason = FileRules.ofLayout(file, wanted, settings.layout);
    return reason == null
        ? FileDecision.convert(
            now,
            FileRules.bytesAfter(file, wanted, settings.layout),
            striped ? settings.cellBytes : (int) file.blockBytes())
        : FileDecision.skip(reason, now);
  }
}
