// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/**
 * Corrects the block groups in answers of the NameNode:
 *
 * <ul>
 *   <li>Groups of 0 bytes are taken out. Hadoop before 3.5 leaves such a group when it recovers the
 *       lease of a file whose last group has no full stripe, and more groups may be appended after
 *       it. Hadoop searches the groups of a file by offset, and finds the empty one instead of its
 *       neighbours.
 *   <li>The others get the policy of their file. Hadoop looks up groups by path and forgets the
 *       policy of the answer: a stream would read groups of a file that has taken the place of its
 *       own as if they had the same cells.
 * </ul>
 */
final class CodedGroups {
  private CodedGroups() {}

  /**
   * Returns the same blocks, corrected. The group that is open at the end stays even if it is
   * empty. If another one is, groups that end before {@code start} are left out, too: the NameNode
   * lists all from the beginning of the file if the first group is empty.
   *
   * @param blocks null if there is no such file
   */
  static LocatedBlocks of(LocatedBlocks blocks, long start) {
    ErasureCodingPolicy policy = blocks == null ? null : blocks.getErasureCodingPolicy();
    if (policy == null) {
      return blocks;
    }
    LocatedBlock last = blocks.getLastLocatedBlock();
    Block open = last == null || blocks.isLastBlockComplete() ? null : block(last);
    List<LocatedBlock> all = blocks.getLocatedBlocks();
    boolean isAnyEmpty =
        !all.stream().allMatch(group -> group.getBlockSize() > 0 || block(group).equals(open));
    List<LocatedBlock> full =
        all.stream()
            .filter(
                group ->
                    !isAnyEmpty
                        || block(group).equals(open)
                        || group.getBlockSize() > 0
                            && group.getStartOffset() + group.getBlockSize() > start)
            .map(group -> withPolicy(group, policy))
            .collect(Collectors.toList());
    return new LocatedBlocks(
        blocks.getFileLength(),
        blocks.isUnderConstruction(),
        full,
        withPolicy(last, policy),
        blocks.isLastBlockComplete(),
        blocks.getFileEncryptionInfo(),
        policy);
  }

  private static Block block(LocatedBlock group) {
    return group.getBlock().getLocalBlock();
  }

  private static LocatedBlock withPolicy(LocatedBlock group, ErasureCodingPolicy policy) {
    return group instanceof LocatedStripedBlock
        ? new CodedGroup((LocatedStripedBlock) group, policy)
        : group;
  }

  /**
   * Returns a block as a block group.
   *
   * @throws IOException if it is none, or one of a file with another policy
   */
  static LocatedStripedBlock require(LocatedBlock block, ErasureCodingPolicy policy, String src)
      throws IOException {
    boolean isOther = block instanceof CodedGroup && !((CodedGroup) block).policy.equals(policy);
    if (isOther || !(block instanceof LocatedStripedBlock)) {
      throw PlainInputStream.replaced(src);
    }
    return (LocatedStripedBlock) block;
  }

  private static final class CodedGroup extends LocatedStripedBlock {
    final ErasureCodingPolicy policy;

    CodedGroup(LocatedStripedBlock group, ErasureCodingPolicy policy) {
      super(
          group.getBlock(),
          group.getLocations(),
          group.getStorageIDs(),
          group.getStorageTypes(),
          group.getBlockIndices(),
          group.getStartOffset(),
          group.isCorrupt(),
          group.getCachedLocations());
      setBlockToken(group.getBlockToken());
      setBlockTokens(group.getBlockTokens());
      this.policy = policy;
    }
  }
}
