// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;

/**
 * The DataNodes of a NameNode at one time, numbered for the algorithms of {@link
 * org.stripeline.placement}. Immutable.
 */
final class ClusterNodes {
  /** Space that a DataNode must have to get new blocks: five blocks of the default size. */
  private static final long ROOM_BYTES = 5L * (128 << 20);

  private final DatanodeDescriptor[] nodes;
  private final Map<DatanodeDescriptor, Integer> numbers;
  private final Map<String, Integer> racks;
  private final Topology topology;

  private ClusterNodes(
      DatanodeDescriptor[] nodes,
      Map<DatanodeDescriptor, Integer> numbers,
      Map<String, Integer> racks,
      Topology topology) {
    this.nodes = nodes;
    this.numbers = numbers;
    this.racks = racks;
    this.topology = topology;
  }

  /**
   * Creates a snapshot of the DataNodes.
   *
   * @param before the previous snapshot, or null; if it has the same DataNodes in the same racks,
   *     they keep their numbers
   * @param busyXceivers number of connections above which a DataNode is too busy for new blocks
   */
  static ClusterNodes of(NetworkTopology cluster, ClusterNodes before, double busyXceivers) {
    List<DatanodeDescriptor> seen = new ArrayList<>();
    for (Node leaf : cluster.getLeaves(NodeBase.ROOT)) {
      if (leaf instanceof DatanodeDescriptor) {
        seen.add((DatanodeDescriptor) leaf);
      }
    }
    if (before != null && before.hasSame(seen)) {
      Topology now = topology(before.nodes, before.racks, busyXceivers);
      return new ClusterNodes(before.nodes, before.numbers, before.racks, now);
    }
    Collections.sort(seen);
    Map<DatanodeDescriptor, Integer> numbers = new HashMap<>();
    Map<String, Integer> racks = new HashMap<>();
    for (DatanodeDescriptor node : seen) {
      numbers.put(node, numbers.size());
      racks.putIfAbsent(rack(node), racks.size());
    }
    DatanodeDescriptor[] nodes = seen.toArray(new DatanodeDescriptor[0]);
    return new ClusterNodes(nodes, numbers, racks, topology(nodes, racks, busyXceivers));
  }

  private boolean hasSame(List<DatanodeDescriptor> seen) {
    if (seen.size() != nodes.length) {
      return false;
    }
    for (DatanodeDescriptor node : seen) {
      Integer number = numbers.get(node);
      Integer rack = racks.get(rack(node));
      if (number == null || rack == null || rack != topology.rackOf(number)) {
        return false;
      }
    }
    return true;
  }

  private static Topology topology(
      DatanodeDescriptor[] nodes, Map<String, Integer> racks, double busyXceivers) {
    Topology.Builder builder = new Topology.Builder();
    for (DatanodeDescriptor node : nodes) {
      int load = Math.max(0, node.getXceiverCount());
      builder.add(racks.get(rack(node)), state(node, busyXceivers), load);
    }
    return builder.build();
  }

  private static NodeState state(DatanodeDescriptor node, double busyXceivers) {
    if (!node.isAlive()) {
      return NodeState.DEAD;
    }
    if (!node.isInService()) {
      return NodeState.LEAVING;
    }
    boolean hasRoom = node.getRemaining() >= ROOM_BYTES;
    return hasRoom && node.getXceiverCount() <= busyXceivers ? NodeState.OPEN : NodeState.FULL;
  }

  /**
   * Returns the rack of a node without a trailing slash. Hadoop 3.3 keeps one in the locations of
   * clients whose names begin with a slash, and of nodes for which a topology script returns one.
   */
  private static String rack(Node node) {
    return NodeBase.normalize(node.getNetworkLocation());
  }

  /** Returns whether another snapshot uses the same numbers. */
  boolean isNumberedAs(ClusterNodes other) {
    return other != null && numbers == other.numbers;
  }

  Topology topology() {
    return topology;
  }

  /** Returns the number of a DataNode; -1 if the node is not a DataNode of this snapshot. */
  int number(Node node) {
    Integer number = node instanceof DatanodeDescriptor ? numbers.get(node) : null;
    return number == null ? -1 : number;
  }

  /**
   * Returns the number of a writer, or else of a random open DataNode in its rack; -1 if there is
   * none.
   */
  int near(Node writer, SplittableRandom random) {
    int number = number(writer);
    Integer rack = writer == null ? null : racks.get(rack(writer));
    if (number >= 0 || rack == null || topology.open(rack) == 0) {
      return number;
    }
    return topology.node(rack, random.nextInt(topology.open(rack)));
  }

  DatanodeDescriptor node(int number) {
    return nodes[number];
  }
}
