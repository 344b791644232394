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
 * The DataNodes that a NameNode knew at one moment, numbered for the algorithms of {@link
 * org.stripeline.placement}. Immutable.
 */
final class ClusterNodes {
  /** As much room as a DataNode must have for new blocks, in blocks of the largest usual size. */
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
   * Looks at the DataNodes.
   *
   * @param before what was seen last: if the same DataNodes are there in the same racks, they keep
   *     their numbers; null at first
   * @param busyXceivers connections from which on a DataNode is too busy for new blocks
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
   * Returns the rack of a node. Of clients whose names begin with a slash, and from scripts that
   * end racks with one, Hadoop 3.3 keeps it in the location.
   */
  private static String rack(Node node) {
    return NodeBase.normalize(node.getNetworkLocation());
  }

  /** Returns whether numbers mean the same as in another. */
  boolean isNumberedAs(ClusterNodes other) {
    return other != null && numbers == other.numbers;
  }

  Topology topology() {
    return topology;
  }

  /** Returns a DataNode's number; -1 for what is not a DataNode known here. */
  int number(Node node) {
    Integer number = node instanceof DatanodeDescriptor ? numbers.get(node) : null;
    return number == null ? -1 : number;
  }

  /** Returns the number of a writer, or of any DataNode in its rack; -1 if there is none. */
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
