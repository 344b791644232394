// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.SplittableRandom;

/**
 * HDFS-RAID's way to choose the replicas that are retained: a random replica of each block,
 * regardless of the other blocks. Serves as a baseline for comparison.
 */
public final class BlindRetention {
  private BlindRetention() {}

  /** Returns the node of one randomly chosen replica of each block. */
  public static int[] retain(int[][] replicas, SplittableRandom random) {
    int[] nodes = new int[replicas.length];
    for (int block = 0; block < nodes.length; block++) {
      nodes[block] = replicas[block][random.nextInt(replicas[block].length)];
    }
    return nodes;
  }

  /**
   * Returns how many blocks must be moved so that no node holds two of them and no rack holds more
   * than c.
   *
   * @param nodes the node of each block
   * @param blocksPerRackMax c
   */
  public static int relocations(int[] nodes, Topology topology, int blocksPerRackMax) {
    boolean[] isMoved = new boolean[nodes.length];
    int moves = 0;
    for (int block = 0; block < nodes.length; block++) {
      int before = 0;
      for (int other = 0; other < block; other++) {
        boolean isSameRack = topology.rackOf(nodes[other]) == topology.rackOf(nodes[block]);
        before += isSameRack && !isMoved[other] ? 1 : 0;
        isMoved[block] |= nodes[other] == nodes[block];
      }
      isMoved[block] |= before >= blocksPerRackMax;
      moves += isMoved[block] ? 1 : 0;
    }
    return moves;
  }
}
