// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.SplittableRandom;

/**
 * What HDFS-RAID's way of encoding does with replicas: any one of each block stays, whatever the
 * others do. A baseline to compare with.
 */
public final class BlindRetention {
  private BlindRetention() {}

  /** Returns of each block the node of a random one of its replicas. */
  public static int[] retain(int[][] replicas, SplittableRandom random) {
    int[] nodes = new int[replicas.length];
    for (int block = 0; block < nodes.length; block++) {
      nodes[block] = replicas[block][random.nextInt(replicas[block].length)];
    }
    return nodes;
  }

  /**
   * Returns how many blocks must be moved so that no node has two and no rack more than c.
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
