// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/** A file that was met in the tree, as the listing showed it. */
public final class Candidate {
  private final String path;
  private final HdfsLocatedFileStatus status;

  public Candidate(String path, HdfsLocatedFileStatus status) {
    this.path = path;
    this.status = status;
  }

  /** Absolute path without scheme. */
  public String path() {
    return path;
  }

  public HdfsLocatedFileStatus status() {
    return status;
  }

  public LocatedBlocks blocks() {
    return status.getLocatedBlocks();
  }

  public long bytes() {
    return status.getLen();
  }

  /** A path that stays right when the file is renamed, and wrong when it is replaced. */
  public String inodePath() {
    return InodePath.of(status.getFileId());
  }
}
