// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.Topology;

/** Selects the racks in which a group may be encoded. */
final class CoreRacks {
  private CoreRacks() {}

  /**
   * Returns the racks that have a node to encode on, in descending order of the number of blocks
   * with a replica there.
   *
   * @param racks the racks to choose from
   */
  static int[] byBlocks(GroupTask task, int[] racks, SplittableRandom random) {
    long[] keys = new long[racks.length];
    int count = 0;
    for (int i = 0; i < racks.length; i++) {
      if (hasEncoder(task.topology(), racks[i])) {
        int blocks = task.replicas().blocksIn(racks[i]);
        // Sorts by descending number of blocks, then randomly; the low bits hold the index of the
        // rack.
        keys[count++] =
            ((long) (CodeShape.BLOCKS_MAX - blocks) << 48)
                | ((long) random.nextInt(1 << 16) << 32)
                | i;
      }
    }
    Arrays.sort(keys, 0, count);
    int[] sorted = new int[count];
    for (int i = 0; i < count; i++) {
      sorted[i] = racks[(int) keys[i]];
    }
    return sorted;
  }

  private static boolean hasEncoder(Topology topology, int rack) {
    if (topology.open(rack) > 0) {
      return true;
    }
    for (int i = 0; i < topology.size(rack); i++) {
      if (topology.state(topology.node(rack, i)).keeps()) {
        return true;
      }
    }
    return false;
  }
}
