// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.convert.rules.FileFacts;
import org.stripeline.placement.CodeName;
import org.stripeline.placement.CodeShape;

/** A file that the walk found, with its entry in the listing. */
public final class Candidate implements FileFacts {
  private final String path;
  private final HdfsLocatedFileStatus status;

  public Candidate(String path, HdfsLocatedFileStatus status) {
    this.path = path;
    this.status = status;
  }

  @Override
  public String path() {
    return path;
  }

  public HdfsLocatedFileStatus status() {
    return status;
  }

  public LocatedBlocks blocks() {
    return status.getLocatedBlocks();
  }

  @Override
  public long bytes() {
    return status.getLen();
  }

  @Override
  public long blockBytes() {
    return status.getBlockSize();
  }

  @Override
  public int replication() {
    return status.getReplication();
  }

  @Override
  public CodeName coded() {
    ErasureCodingPolicy policy = status.getErasureCodingPolicy();
    return policy == null
        ? null
        : CodeName.of(
            policy.getCodecName(),
            CodeShape.ofDataAndParity(policy.getNumDataUnits(), policy.getNumParityUnits()),
            policy.getCellSize());
  }

  @Override
  public boolean isOpen() {
    return blocks().isUnderConstruction();
  }

  @Override
  public int storagePolicy() {
    return status.getStoragePolicy();
  }

  @Override
  public boolean lacksReplica() {
    return blocks().getLocatedBlocks().stream().anyMatch(block -> block.getLocations().length == 0);
  }

  @Override
  public int blockCount() {
    return blocks().getLocatedBlocks().size();
  }

  @Override
  public long bytesOfBlock(int index) {
    return blocks().get(index).getBlockSize();
  }

  /**
   * Returns a path that stays valid if the file is renamed, and becomes invalid if it is replaced.
   */
  public String inodePath() {
    return InodePath.of(status.getFileId());
  }
}
