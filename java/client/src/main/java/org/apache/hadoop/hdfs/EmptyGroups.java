// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/**
 * Takes block groups of 0 bytes out of the answers of the NameNode. Hadoop before 3.5 leaves such a
 * group when it recovers the lease of a file whose last group has no full stripe, and more groups
 * may be appended after it. Hadoop searches the groups of a file by offset, and finds the empty one
 * instead of its neighbours.
 */
final class EmptyGroups {
  private EmptyGroups() {}

  /**
   * Returns the same blocks without empty block groups, except an open one at the end. If there is
   * one, groups that end before {@code start} are left out, too: the NameNode lists all from the
   * beginning of the file if the first group is empty.
   *
   * @param blocks null if there is no such file
   */
  static LocatedBlocks remove(LocatedBlocks blocks, long start) {
    if (blocks == null || blocks.getErasureCodingPolicy() == null) {
      return blocks;
    }
    LocatedBlock last = blocks.getLastLocatedBlock();
    Block open = last == null || blocks.isLastBlockComplete() ? null : block(last);
    List<LocatedBlock> all = blocks.getLocatedBlocks();
    if (all.stream().allMatch(group -> group.getBlockSize() > 0 || block(group).equals(open))) {
      return blocks;
    }
    List<LocatedBlock> full =
        all.stream()
            .filter(
                group ->
                    block(group).equals(open)
                        || group.getBlockSize() > 0
                            && group.getStartOffset() + group.getBlockSize() > start)
            .collect(Collectors.toList());
    return new LocatedBlocks(
        blocks.getFileLength(),
        blocks.isUnderConstruction(),
        full,
        blocks.getLastLocatedBlock(),
        blocks.isLastBlockComplete(),
        blocks.getFileEncryptionInfo(),
        blocks.getErasureCodingPolicy());
  }

  private static Block block(LocatedBlock group) {
    return group.getBlock().getLocalBlock();
  }
}
