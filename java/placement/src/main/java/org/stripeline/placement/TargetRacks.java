// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.BitSet;
import java.util.SplittableRandom;

/** Chooses the target racks of a group whose blocks have been written already. */
final class TargetRacks {
  private TargetRacks() {}

  /** Returns the racks with replicas of the most blocks, filled up with any that have room. */
  static BitSet choose(
      GroupReplicas replicas, Topology topology, int count, SplittableRandom random) {
    int[] racks = new int[topology.racks()];
    int eligible = 0;
    for (int rack = 0; rack < racks.length; rack++) {
      if (topology.open(rack) > 0 || replicas.blocksIn(rack) > 0) {
        racks[eligible++] = rack;
      }
    }
    shuffle(racks, eligible, random);
    BitSet chosen = new BitSet(racks.length);
    for (int blocks = replicas.blocks(); blocks >= 0; blocks--) {
      for (int i = 0; i < eligible && chosen.cardinality() < count; i++) {
        if (replicas.blocksIn(racks[i]) == blocks) {
          chosen.set(racks[i]);
        }
      }
    }
    return chosen;
  }

  private static void shuffle(int[] items, int count, SplittableRandom random) {
    for (int i = count; i > 1; i--) {
      int other = random.nextInt(i);
      int item = items[other];
      items[other] = items[i - 1];
      items[i - 1] = item;
    }
  }
}
