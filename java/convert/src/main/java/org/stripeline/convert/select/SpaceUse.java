// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.util.List;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.stripeline.convert.job.Candidate;

/** Bytes on disks that files take in their layouts. */
final class SpaceUse {
  private SpaceUse() {}

  /** What a file takes as it is. */
  static long now(Candidate file) {
    ErasureCodingPolicy policy = file.status().getErasureCodingPolicy();
    if (policy == null) {
      return file.bytes() * file.status().getReplication();
    }
    long bytes = 0;
    for (LocatedBlock group : file.blocks().getLocatedBlocks()) {
      bytes += ofGroup(group.getBlockSize(), policy);
    }
    return bytes;
  }

  /** What a file would take in groups of its own blocks. */
  static long contiguous(List<List<LocatedBlock>> groups, int parityUnits) {
    long bytes = 0;
    for (List<LocatedBlock> group : groups) {
      for (LocatedBlock block : group) {
        bytes += block.getBlockSize();
      }
      // Only the last block of a group is short, so the first is as long as parity.
      bytes += parityUnits * group.get(0).getBlockSize();
    }
    return bytes;
  }

  /** What so many bytes would take when copied into groups of that policy. */
  static long striped(long bytes, long blockBytes, ErasureCodingPolicy policy) {
    long whole = blockBytes * policy.getNumDataUnits();
    long rest = bytes % whole;
    return bytes / whole * ofGroup(whole, policy) + (rest == 0 ? 0 : ofGroup(rest, policy));
  }

  private static long ofGroup(long bytes, ErasureCodingPolicy policy) {
    return StripedBlockUtil.spaceConsumedByStripedBlock(
        bytes, policy.getNumDataUnits(), policy.getNumParityUnits(), policy.getCellSize());
  }
}
