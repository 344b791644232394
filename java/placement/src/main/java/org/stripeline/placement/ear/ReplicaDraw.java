// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackOrder;
import org.stripeline.placement.Topology;

/**
 * Selects nodes for new blocks as HDFS does. Replicas (BlockPlacementPolicyDefault) are placed on
 * the writer and on different nodes of one other rack; the literature on encoding-aware replication
 * calls this "RR", and "preliminary EAR" if the first replica is in the core rack of a stripe
 * without any further check. Blocks of a group (BlockPlacementPolicyRackFaultTolerant) are spread
 * over the racks.
 */
public final class ReplicaDraw {
  /** Stands for a writer that is no DataNode. */
  public static final int NO_NODE = -1;

  /** Excludes no node. */
  public static final IntPredicate NONE_EXCLUDED = node -> false;

  private final Topology topology;
  private final IntPredicate isExcluded;
  private final SplittableRandom random;

  /**
   * Creates a draw.
   *
   * @param isExcluded accepts nodes that must not be used, in addition to those that are not open
   */
  public ReplicaDraw(Topology topology, IntPredicate isExcluded, SplittableRandom random) {
    this.topology = topology;
    this.isExcluded = isExcluded;
    this.random = random;
  }

  /**
   * Selects nodes for a writer anywhere.
   *
   * @param writer the node that writes, {@link #NO_NODE} for any
   * @param replication the number of nodes, at least 1
   * @return the nodes, those in the writer's rack first; null if no two racks have enough nodes
   */
  public int[] anywhere(int writer, int replication) {
    int rack = topology.hasNode(writer) ? topology.rackOf(writer) : rackWith(1, -1);
    return rack < 0 ? null : fromRack(rack, writer, replication);
  }

  /**
   * Selects nodes with the first replica in a given rack, on the writer if it is in that rack.
   *
   * @return the nodes, the one in the given rack first; null if that rack or all others have too
   *     few
   */
  public int[] fromRack(int coreRack, int writer, int replication) {
    int other = replication == 1 ? coreRack : rackWith(replication - 1, coreRack);
    return other < 0 ? null : fromRacks(coreRack, other, writer, replication);
  }

  /**
   * Selects nodes with the first replica in one given rack and the others in another.
   *
   * @return the nodes, the one in the core rack first; null if one of the racks has too few
   */
  public int[] fromRacks(int coreRack, int otherRack, int writer, int replication) {
    int[] nodes = new int[replication];
    Arrays.fill(nodes, NO_NODE);
    boolean isWriterTaken =
        topology.hasNode(writer) && topology.rackOf(writer) == coreRack && isUsable(writer);
    nodes[0] = isWriterTaken ? writer : anyNode(coreRack, nodes, 0);
    for (int i = 1; i < replication && nodes[i - 1] >= 0; i++) {
      nodes[i] = anyNode(otherRack, nodes, i);
    }
    return nodes[replication - 1] < 0 ? null : nodes;
  }

  /**
   * Selects nodes for the blocks of a group that is written as striped: spread evenly over racks at
   * random.
   *
   * @param writer gets the first block if possible, {@link #NO_NODE} for any
   * @return {@code blocks} different nodes, null if there are not enough
   */
  public int[] evenly(int writer, int blocks) {
    int[] nodes = new int[blocks];
    Arrays.fill(nodes, NO_NODE);
    boolean isWriterTaken = topology.hasNode(writer) && isUsable(writer);
    int count = 0;
    if (isWriterTaken) {
      nodes[count++] = writer;
    }
    // The writer's rack already has its block of the first round.
    int spared = isWriterTaken ? topology.rackOf(writer) : -1;
    boolean isGrowing = true;
    while (count < blocks && isGrowing) {
      int before = count;
      for (int rack : RackOrder.shuffled(topology, random)) {
        int node = rack == spared || count == blocks ? NO_NODE : anyNode(rack, nodes, count);
        if (node >= 0) {
          nodes[count++] = node;
        }
      }
      isGrowing = count > before || spared >= 0;
      spared = -1;
    }
    return count < blocks ? null : nodes;
  }

  /** Returns whether a rack has at least {@code count} usable nodes. */
  public boolean hasUsable(int rack, int count) {
    int open = open(rack);
    int found = 0;
    for (int i = 0; i < open && found < count; i++) {
      found += isExcluded.test(topology.node(rack, i)) ? 0 : 1;
    }
    return found >= count;
  }

  /**
   * Returns a random rack with at least {@code count} usable nodes other than {@code except}, -1 if
   * there is none.
   */
  int rackWith(int count, int except) {
    int racks = topology.racks();
    // A few random draws almost always find a rack. The scan of all racks always does, but selects
    // racks that follow unsuitable ones more often.
    for (int tries = 0; tries < 2 * racks; tries++) {
      int rack = random.nextInt(racks);
      if (rack != except && hasUsable(rack, count)) {
        return rack;
      }
    }
    int start = racks == 0 ? 0 : random.nextInt(racks);
    for (int i = 0; i < racks; i++) {
      int rack = (start + i) % racks;
      if (rack != except && hasUsable(rack, count)) {
        return rack;
      }
    }
    return -1;
  }

  /**
   * Returns the number of open nodes in a rack, 0 for a rack of an older topology that no longer
   * exists.
   */
  private int open(int rack) {
    return rack < topology.racks() ? topology.open(rack) : 0;
  }

  private boolean isUsable(int node) {
    return topology.state(node) == NodeState.OPEN && !isExcluded.test(node);
  }

  private int anyNode(int rack, int[] taken, int count) {
    int open = open(rack);
    int one = nodeFrom(rack, open, taken, count);
    int other = nodeFrom(rack, open, taken, count);
    return one >= 0 && topology.load(other) < topology.load(one) ? other : one;
  }

  private int nodeFrom(int rack, int open, int[] taken, int count) {
    int start = open == 0 ? 0 : random.nextInt(open);
    for (int i = 0; i < open; i++) {
      int node = topology.node(rack, (start + i) % open);
      boolean isFree = !isExcluded.test(node);
      for (int j = 0; isFree && j < count; j++) {
        isFree = taken[j] != node;
      }
      if (isFree) {
        return node;
      }
    }
    return NO_NODE;
  }
}
