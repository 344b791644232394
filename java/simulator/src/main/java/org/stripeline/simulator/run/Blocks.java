// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Arrays;

/** The locations of the replicas of replicated blocks; blocks are numbered from 0. */
final class Blocks {
  /** Stands for the node of a replica or a block that does not exist. */
  static final int ABSENT = -1;

  private final int replication;
  private int[] nodes;
  private int count;

  Blocks(int replication, int expected) {
    this.replication = replication;
    this.nodes = new int[Math.max(1, expected) * replication];
  }

  /** Adds a block and returns its number. */
  int add(int[] replicas) {
    if ((count + 1) * replication > nodes.length) {
      nodes = Arrays.copyOf(nodes, Math.max(2 * replication, nodes.length + nodes.length / 2));
    }
    System.arraycopy(replicas, 0, nodes, count * replication, replication);
    return count++;
  }

  int count() {
    return count;
  }

  /** Returns the nodes of a block, the first replica first. */
  int[] replicas(int block) {
    return Arrays.copyOfRange(nodes, block * replication, (block + 1) * replication);
  }

  int node(int block, int replica) {
    return nodes[block * replication + replica];
  }

  /** Moves a replica to another node. */
  void move(int block, int replica, int node) {
    nodes[block * replication + replica] = node;
  }

  int replication() {
    return replication;
  }
}
