// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.stripeline.convert.settings.Layout;

/** Divides the blocks of a replicated file into the block groups of {@link Layout#CONTIGUOUS}. */
public final class GroupCut {
  private GroupCut() {}

  /**
   * Returns the groups, each of at most {@code dataUnits} consecutive blocks. A block shorter than
   * a cell ends its group, since only the last bytes of a block group can be missing; {@code
   * concat} can leave such blocks in the middle of a file.
   */
  public static List<List<LocatedBlock>> cut(
      List<LocatedBlock> blocks, int dataUnits, long cellBytes) {
    List<List<LocatedBlock>> groups = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < blocks.size(); i++) {
      boolean isShort = blocks.get(i).getBlockSize() < cellBytes;
      if (isShort || i - start + 1 == dataUnits || i == blocks.size() - 1) {
        groups.add(Collections.unmodifiableList(new ArrayList<>(blocks.subList(start, i + 1))));
        start = i + 1;
      }
    }
    return groups;
  }
}
