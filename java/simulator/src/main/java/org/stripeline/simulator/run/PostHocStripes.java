// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.ArrayList;
import java.util.List;
import org.stripeline.placement.Topology;
import org.stripeline.simulator.scenario.Settings;

/** Stripes of blocks that were written without regard to encoding. */
final class PostHocStripes {
  private PostHocStripes() {}

  /**
   * Returns the stripes that were found, then stripes of the remaining blocks in order, which are
   * encoded anywhere, so that all policies encode the same amount of data.
   */
  static List<SimulatedStripe> of(Settings settings, Blocks blocks, Topology topology) {
    PosthocGrouping grouping = new PosthocGrouping(settings.shape, settings.rule, topology);
    List<SimulatedStripe> stripes = new ArrayList<>();
    boolean[] isGrouped = new boolean[blocks.count()];
    for (int block = 0; block < blocks.count(); block++) {
      add(stripes, isGrouped, grouping.add(block, blocks.replicas(block)));
    }
    for (BlockSet set : grouping.finish()) {
      add(stripes, isGrouped, set);
    }
    int data = settings.shape.data();
    int[] members = new int[data];
    int count = 0;
    for (int block = 0; block < isGrouped.length; block++) {
      if (!isGrouped[block]) {
        members[count++] = block;
        if (count == data) {
          stripes.add(new SimulatedStripe(members.clone(), SimulatedStripe.ANYWHERE));
          count = 0;
        }
      }
    }
    return stripes;
  }

  private static void add(List<SimulatedStripe> stripes, boolean[] isGrouped, BlockSet set) {
    if (set != null) {
      long[] numbers = set.blocks();
      int[] members = new int[numbers.length];
      for (int i = 0; i < members.length; i++) {
        members[i] = (int) numbers[i];
        isGrouped[members[i]] = true;
      }
      stripes.add(new SimulatedStripe(members, set.coreRack()));
    }
  }
}
