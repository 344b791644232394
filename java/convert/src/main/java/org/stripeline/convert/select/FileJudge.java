// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.report.SkipReason;
import org.stripeline.convert.report.Verdict;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.Origin;
import org.stripeline.convert.settings.PolicyRequest;
import org.stripeline.convert.settings.Rules;

/** Decides about each file of the tree: taken, or left alone and why. */
public final class FileJudge {
  private static final int BYTES_PER_KIB = 1024;

  private final JobSettings settings;
  private final DFSClient client;
  private final SnapshotIndex snapshots;
  private final AttributeJudge attributes;
  private final long nowMs;
  private final PolicyRequest request;

  /** DataNodes in service, which are as many as a block can have replicas. */
  private final int nodes;

  /** A judge of the files that there are now. */
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
    request = settings.undo ? null : settings.request();
    nodes = settings.undo ? ClusterFacts.of(client).nodes().size() : 0;
  }

  /** The snapshots that files are judged by. */
  SnapshotIndex snapshots() {
    return snapshots;
  }

  /**
   * Judges a file by what the listing showed of it.
   *
   * @throws java.io.FileNotFoundException if more has to be known, and it is gone
   */
  public Verdict judge(Candidate file) throws IOException {
    HdfsLocatedFileStatus status = file.status();
    if (status.isSymlink()) {
      return Verdict.skip(SkipReason.SYMLINK, 0);
    }
    long now = SpaceUse.now(file);
    SkipReason reason = generalReason(file);
    if (reason != null) {
      return Verdict.skip(reason, now);
    }
    Verdict verdict = settings.undo ? undo(file, now) : convert(file, now);
    if (verdict.isConvert()
        && !settings.rules.includeSnapshotted
        && snapshots.keeps(file.path(), status.getFileId())) {
      return Verdict.skip(SkipReason.SNAPSHOTTED, now);
    }
    if (verdict.isConvert() && !settings.undo) {
      reason = attributes.judge(extended(file), added());
      return reason == null ? verdict : Verdict.skip(reason, now);
    }
    return verdict;
  }

  /** Extended attributes by which converted files remember what they were. */
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
    Rules rules = settings.rules;
    if (!rules.matches(file.path())
        || (rules.owner != null && !rules.owner.equals(status.getOwner()))
        || status.getLen() < rules.bytesMin
        || nowMs - status.getModificationTime() < rules.ageMsMin) {
      return SkipReason.RULE;
    }
    if (file.blocks().isUnderConstruction()) {
      return SkipReason.OPEN;
    }
    if (status.getLen() == 0) {
      return SkipReason.EMPTY;
    }
    if (status.getStoragePolicy() == HdfsConstants.MEMORY_STORAGE_POLICY_ID) {
      return SkipReason.LAZY_PERSIST;
    }
    for (LocatedBlock block : file.blocks().getLocatedBlocks()) {
      if (block.getLocations().length == 0) {
        return SkipReason.UNREADABLE;
      }
    }
    return null;
  }

  private Verdict undo(Candidate file, long now) throws IOException {
    if (file.status().getErasureCodingPolicy() == null) {
      return Verdict.skip(SkipReason.ALREADY, now);
    }
    Map<String, byte[]> extended = extended(file);
    int replication = settings.replication(extended);
    if (replication == 0) {
      return Verdict.skip(SkipReason.NOT_CONVERTED, now);
    }
    if (replication > nodes) {
      return Verdict.skip(SkipReason.REPLICATION, now);
    }
    SkipReason reason = attributes.judge(extended, Collections.emptyList());
    if (reason != null) {
      return Verdict.skip(reason, now);
    }
    return Verdict.convert(now, file.bytes() * replication, 0);
  }

  private Verdict convert(Candidate file, long now) {
    ErasureCodingPolicy has = file.status().getErasureCodingPolicy();
    long blockBytes = file.status().getBlockSize();
    boolean striped = settings.layout == Layout.striped;
    if (!striped && !canBeCell(file, blockBytes)) {
      return Verdict.skip(SkipReason.BLOCK_SIZE, now);
    }
    ErasureCodingPolicy wanted = request.withCell(striped ? settings.cellBytes : (int) blockBytes);
    if (has != null) {
      if (has.getName().equals(wanted.getName())) {
        return Verdict.skip(SkipReason.ALREADY, now);
      }
      if (!striped) {
        return Verdict.skip(SkipReason.OTHER_POLICY, now);
      }
    }
    long after =
        striped
            ? SpaceUse.striped(file.bytes(), blockBytes, wanted)
            : SpaceUse.contiguous(cut(file, wanted), wanted.getNumParityUnits());
    if (has == null && after >= now) {
      return Verdict.skip(SkipReason.TOO_SMALL, now);
    }
    return Verdict.convert(now, after, wanted.getCellSize());
  }

  /** Policies are named by whole KiB; a block beyond the file's block size fits into no cell. */
  private boolean canBeCell(Candidate file, long blockBytes) {
    if (!request.takesCell(blockBytes) || blockBytes % BYTES_PER_KIB != 0) {
      return false;
    }
    for (LocatedBlock block : file.blocks().getLocatedBlocks()) {
      if (!block.isStriped() && block.getBlockSize() > blockBytes) {
        return false;
      }
    }
    return true;
  }

  private static List<List<LocatedBlock>> cut(Candidate file, ErasureCodingPolicy policy) {
    return GroupCut.cut(
        file.blocks().getLocatedBlocks(), policy.getNumDataUnits(), policy.getCellSize());
  }
}
