// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;
import org.stripeline.placement.Topology;

/** The readable replicas of a group's data blocks, without duplicate nodes per block. */
final class GroupReplicas {
  private final Topology topology;

  /** The nodes of each block, in the order given. */
  private final int[][] nodes;

  /** All nodes without duplicates, in ascending order. */
  private final int[] distinct;

  /**
   * Selects the replicas that are on known nodes that are not dead.
   *
   * @throws PlacementException if a block has none
   */
  GroupReplicas(int[][] replicas, Topology topology) throws PlacementException {
    this.topology = topology;
    this.nodes = new int[replicas.length][];
    int count = 0;
    for (int block = 0; block < replicas.length; block++) {
      nodes[block] = readable(replicas[block]);
      count += nodes[block].length;
      if (nodes[block].length == 0) {
        throw new PlacementException(
            "Cannot place a group: data block "
                + block
                + " has "
                + replicas[block].length
                + " replicas, of which none can be read");
      }
    }
    int[] all = new int[count];
    int end = 0;
    for (int[] ofBlock : nodes) {
      System.arraycopy(ofBlock, 0, all, end, ofBlock.length);
      end += ofBlock.length;
    }
    Arrays.sort(all);
    int kept = 0;
    for (int i = 0; i < all.length; i++) {
      if (i == 0 || all[i] != all[i - 1]) {
        all[kept++] = all[i];
      }
    }
    this.distinct = Arrays.copyOf(all, kept);
  }

  private int[] readable(int[] replicas) {
    int[] kept = new int[replicas.length];
    int count = 0;
    for (int node : replicas) {
      boolean isKnown = topology.hasNode(node) && topology.state(node).isReadable();
      for (int i = 0; isKnown && i < count; i++) {
        isKnown = kept[i] != node;
      }
      if (isKnown) {
        kept[count++] = node;
      }
    }
    return Arrays.copyOf(kept, count);
  }

  int blocks() {
    return nodes.length;
  }

  /** Returns the nodes that hold a block. The caller must not modify the array. */
  int[] of(int block) {
    return nodes[block];
  }

  /**
   * Returns all nodes that hold a block, in ascending order. The caller must not modify the array.
   */
  int[] distinct() {
    return distinct;
  }

  /** Returns the index of a node among the distinct nodes, negative if it holds no block. */
  int indexOf(int node) {
    return Arrays.binarySearch(distinct, node);
  }

  /** Returns how many blocks have a replica in a rack. */
  int blocksIn(int rack) {
    int count = 0;
    for (int block = 0; block < nodes.length; block++) {
      count += isIn(block, rack) ? 1 : 0;
    }
    return count;
  }

  boolean isIn(int block, int rack) {
    for (int node : nodes[block]) {
      if (topology.rackOf(node) == rack) {
        return true;
      }
    }
    return false;
  }
}
