// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Test;

/** Tests groups of consecutive blocks, of which only the last may be short. */
class GroupCutTest {
  private static final long CELL = 100;

  @Test
  void cutsWholeBlocksIntoGroupsOfK() {
    assertThat(cut(3, 100, 100, 100, 100, 100, 100, 40))
        .containsExactly("100 100 100", "100 100 100", "40");
    assertThat(cut(3, 100)).containsExactly("100");
    assertThat(cut(3)).isEmpty();
  }

  @Test
  void endsAGroupAtAShortBlock() {
    assertThat(cut(3, 100, 7, 100, 100, 100, 1, 1))
        .containsExactly("100 7", "100 100 100", "1", "1");
  }

  @Test
  void keepsEveryBlockInItsOrder() {
    Random random = new Random(17);
    for (int round = 0; round < 200; round++) {
      int k = 1 + random.nextInt(12);
      long[] sizes = random.longs(random.nextInt(50), 1, CELL + 1).toArray();
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = random.nextInt(3) == 0 ? sizes[i] : CELL;
      }
      List<LocatedBlock> blocks = blocks(sizes);
      List<LocatedBlock> again = new ArrayList<>();
      for (List<LocatedBlock> group : GroupCut.cut(blocks, k, CELL)) {
        assertThat(group).hasSizeBetween(1, k);
        for (int i = 0; i < group.size() - 1; i++) {
          assertThat(group.get(i).getBlockSize()).isEqualTo(CELL);
        }
        again.addAll(group);
      }
      assertThat(again).isEqualTo(blocks);
    }
  }

  private static List<String> cut(int k, long... sizes) {
    return GroupCut.cut(blocks(sizes), k, CELL).stream()
        .map(
            group ->
                group.stream()
                    .map(block -> Long.toString(block.getBlockSize()))
                    .collect(Collectors.joining(" ")))
        .collect(Collectors.toList());
  }

  private static List<LocatedBlock> blocks(long... sizes) {
    List<LocatedBlock> blocks = new ArrayList<>();
    for (long size : sizes) {
      ExtendedBlock block = new ExtendedBlock("pool", blocks.size(), size, 1);
      blocks.add(new LocatedBlock(block, DatanodeInfo.EMPTY_ARRAY));
    }
    return blocks;
  }
}
