// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/** A file that was met in the tree, as the listing showed it. */
final class Candidate {
  private final String path;
  private final HdfsLocatedFileStatus status;

  Candidate(String path, HdfsLocatedFileStatus status) {
    this.path = path;
    this.status = status;
  }

  /** Absolute path without scheme. */
  String path() {
    return path;
  }

  HdfsLocatedFileStatus status() {
    return status;
  }

  LocatedBlocks blocks() {
    return status.getLocatedBlocks();
  }

  long bytes() {
    return status.getLen();
  }

  /** A path that stays right when the file is renamed, and wrong when it is replaced. */
  String inodePath() {
    return InodePath.of(status.getFileId());
  }
}
