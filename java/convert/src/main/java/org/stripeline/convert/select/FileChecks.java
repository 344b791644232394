// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.Origin;

/**
 * The rules that need more than the listing of a file: its extended attributes, and the snapshots
 * of the directories above it. They cost a call or more, so only files that would be converted are
 * checked. The user must be a superuser, since others do not see all attributes and snapshots.
 */
public final class FileChecks {
  private final DFSClient client;
  private final SnapshotIndex snapshots;
  private final AttributeJudge attributes;
  private final boolean includeSnapshotted;
  private final Collection<String> added;

  FileChecks(
      DFSClient client,
      AttributeJudge attributes,
      boolean includeSnapshotted,
      boolean setsStoragePolicy)
      throws IOException {
    this.client = client;
    this.attributes = attributes;
    this.includeSnapshotted = includeSnapshotted;
    snapshots = new SnapshotIndex(client);
    // These attributes record the original state of converted files.
    added =
        setsStoragePolicy
            ? Arrays.asList(Origin.ATTRIBUTE, Origin.STORAGE_POLICY)
            : Collections.singletonList(Origin.ATTRIBUTE);
  }

  /**
   * Returns checks against the current snapshots and the limits of the NameNode.
   *
   * @param includeSnapshotted whether files in snapshots are converted
   * @param setsStoragePolicy whether converted files get another storage policy
   */
  public static FileChecks of(
      DistributedFileSystem fs, boolean includeSnapshotted, boolean setsStoragePolicy)
      throws IOException {
    return new FileChecks(fs.getClient(), limits(fs), includeSnapshotted, setsStoragePolicy);
  }

  /** Returns a judge that asks the NameNode for its limits. */
  static AttributeJudge limits(DistributedFileSystem fs) {
    return new AttributeJudge(() -> NameNodeLimits.ask(fs.getUri(), fs.getConf()));
  }

  /** Returns the snapshots that files are checked against. */
  SnapshotIndex snapshots() {
    return snapshots;
  }

  /** Returns SNAPSHOTTED for a file in a snapshot, unless these are converted; otherwise null. */
  SkipReason ofSnapshots(String path, long fileId) throws IOException {
    return !includeSnapshotted && snapshots.keeps(path, fileId) ? SkipReason.SNAPSHOTTED : null;
  }

  /** Returns whether a snapshot keeps the old blocks of a file that is converted. */
  public boolean isKept(String path, long fileId) throws IOException {
    return includeSnapshotted && snapshots.keeps(path, fileId);
  }

  /**
   * Returns the reason for which a file cannot become erasure-coded, or null.
   *
   * @param path path of the file, under which snapshots are searched
   * @param fileId inode id of the file
   * @throws java.io.FileNotFoundException if the file is gone
   */
  public SkipReason reason(String path, long fileId) throws IOException {
    SkipReason reason = ofSnapshots(path, fileId);
    return reason != null
        ? reason
        : attributes.judge(client.getXAttrs(InodePath.of(fileId)), added);
  }

  /** Returns the reason for which a file cannot return to replication, or null. */
  SkipReason ofUndone(Map<String, byte[]> extended) {
    return attributes.judge(extended, Collections.emptyList());
  }
}
