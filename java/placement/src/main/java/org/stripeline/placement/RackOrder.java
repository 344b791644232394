// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Racks in random order. */
public final class RackOrder {
  private RackOrder() {}

  /** Returns the racks that have an open node, in random order. */
  public static int[] shuffled(Topology topology, SplittableRandom random) {
    int[] racks = new int[topology.racks()];
    int count = 0;
    for (int rack = 0; rack < racks.length; rack++) {
      if (topology.open(rack) > 0) {
        racks[count++] = rack;
      }
    }
    shuffle(racks, count, random);
    return Arrays.copyOf(racks, count);
  }

  /** Shuffles the first {@code count} items. */
  public static void shuffle(int[] items, int count, SplittableRandom random) {
    for (int i = count; i > 1; i--) {
      int other = random.nextInt(i);
      int item = items[other];
      items[other] = items[i - 1];
      items[i - 1] = item;
    }
  }
}
