// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.Topology;

/**
 * The DataNodes of a NameNode at one time, numbered for the algorithms of {@link
 * org.stripeline.placement}. Immutable.
 *
 * <p>DataNodes keep their numbers while others join or leave, so that pending stripes go on. A
 * NameNode removes a DataNode from its topology not only when it dies, but for a moment also when
 * it registers again.
 */
final class ClusterNodes {
  /**
   * Space that a DataNode must have on one disk to get new blocks: five blocks of the default size.
   */
  private static final long ROOM_BYTES = 5L * (128 << 20);

  /** Numbers of DataNodes that left are discarded if there are more than this. */
  private static final int LEFT_MIN = 100;

  private final DatanodeDescriptor[] nodes;
  private final Map<DatanodeDescriptor, Integer> numbers;
  private final Map<String, Integer> racks;
  private final Topology topology;

  /** The topologies for files that use some storage types, by the types as bits. */
  private final Map<Integer, Topology> byTypes = new ConcurrentHashMap<>();

  /** The same object in all snapshots with the same numbers. */
  private final Object numbering;

  private ClusterNodes(
      List<DatanodeDescriptor> nodes,
      Map<DatanodeDescriptor, Integer> numbers,
      Map<String, Integer> racks,
      Topology topology,
      Object numbering) {
    this.nodes = nodes.toArray(new DatanodeDescriptor[0]);
    this.numbers = numbers;
    this.racks = racks;
    this.topology = topology;
    this.numbering = numbering;
  }

  /**
   * Creates a snapshot of the DataNodes.
   *
   * @param before the previous snapshot, whose numbers remain valid unless too many DataNodes have
   *     left; null for none
   * @param takesBlocks accepts DataNodes in service that Hadoop's policy would accept for new
   *     blocks
   */
  static ClusterNodes of(
      NetworkTopology cluster, ClusterNodes before, Predicate<DatanodeDescriptor> takesBlocks) {
    List<DatanodeDescriptor> seen = new ArrayList<>();
    for (Node leaf : cluster.getLeaves(NodeBase.ROOT)) {
      if (leaf instanceof DatanodeDescriptor) {
        seen.add((DatanodeDescriptor) leaf);
      }
    }
    if (before != null) {
      ClusterNodes now = number(seen, before, takesBlocks);
      if (now.nodes.length - seen.size() <= Math.max(LEFT_MIN, seen.size() / 2)) {
        return now;
      }
    }
    return number(seen, empty(), takesBlocks);
  }

  private static ClusterNodes number(
      List<DatanodeDescriptor> seen,
      ClusterNodes before,
      Predicate<DatanodeDescriptor> takesBlocks) {
    List<DatanodeDescriptor> nodes = new ArrayList<>(Arrays.asList(before.nodes));
    BitSet present = new BitSet();
    List<DatanodeDescriptor> joined = new ArrayList<>();
    for (DatanodeDescriptor node : seen) {
      int number = before.numberInRack(node);
      if (number < 0) {
        joined.add(node);
      } else {
        // A DataNode that was removed and is added again may have another descriptor.
        nodes.set(number, node);
        present.set(number);
      }
    }
    Collections.sort(joined);
    Map<DatanodeDescriptor, Integer> numbers = before.numbers;
    Map<String, Integer> racks = before.racks;
    if (!joined.isEmpty()) {
      numbers = new HashMap<>(numbers);
      racks = new HashMap<>(racks);
    }
    List<Integer> joinedRacks = new ArrayList<>();
    for (DatanodeDescriptor node : joined) {
      // Read once, since a DataNode may register in another rack at this time.
      String rack = rack(node);
      racks.putIfAbsent(rack, racks.size());
      joinedRacks.add(racks.get(rack));
      numbers.put(node, nodes.size());
      present.set(nodes.size());
      nodes.add(node);
    }
    int known = nodes.size() - joined.size();
    Topology.Builder topology = new Topology.Builder();
    for (int number = 0; number < nodes.size(); number++) {
      DatanodeDescriptor node = nodes.get(number);
      int rack = number < known ? before.topology.rackOf(number) : joinedRacks.get(number - known);
      NodeState state = present.get(number) ? state(node, takesBlocks) : NodeState.DEAD;
      topology.add(rack, state, Math.max(0, node.getXceiverCount()));
    }
    return new ClusterNodes(nodes, numbers, racks, topology.build(), before.numbering);
  }

  private static ClusterNodes empty() {
    return new ClusterNodes(
        Collections.emptyList(),
        Collections.emptyMap(),
        Collections.emptyMap(),
        Topology.uniform(0, 0),
        new Object());
  }

  /**
   * Returns the number of a DataNode; -1 if it has none, or is in another rack now. It gets another
   * number then, so that the old one counts as gone.
   */
  private int numberInRack(DatanodeDescriptor node) {
    int number = number(node);
    Integer rack = racks.get(rack(node));
    return number >= 0 && rack != null && rack == topology.rackOf(number) ? number : -1;
  }

  private static NodeState state(
      DatanodeDescriptor node, Predicate<DatanodeDescriptor> takesBlocks) {
    if (!node.isAlive()) {
      return NodeState.DEAD;
    }
    if (!node.isInService()) {
      return NodeState.LEAVING;
    }
    return takesBlocks.test(node) ? NodeState.OPEN : NodeState.FULL;
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
    return other != null && numbering == other.numbering;
  }

  /** Returns the DataNodes, whatever storage they have. */
  Topology topology() {
    return topology;
  }

  /**
   * Returns the DataNodes for a file; those without room on storage of one of the types get no new
   * blocks.
   */
  Topology topologyFor(Collection<StorageType> types) {
    int bits = 0;
    for (StorageType type : types) {
      bits |= 1 << type.ordinal();
    }
    return byTypes.computeIfAbsent(bits, this::topologyFor);
  }

  private Topology topologyFor(int types) {
    Topology.Builder builder = new Topology.Builder();
    for (int number = 0; number < nodes.length; number++) {
      NodeState state = topology.state(number);
      boolean lacksRoom = state == NodeState.OPEN && !hasRoomOn(nodes[number], types);
      builder.add(
          topology.rackOf(number), lacksRoom ? NodeState.FULL : state, topology.load(number));
    }
    return builder.build();
  }

  private static boolean hasRoomOn(DatanodeDescriptor node, int types) {
    for (DatanodeStorageInfo storage : node.getStorageInfos()) {
      boolean isUsed = (types & 1 << storage.getStorageType().ordinal()) != 0;
      if (isUsed
          && storage.getState() == DatanodeStorage.State.NORMAL
          && storage.getRemaining() >= ROOM_BYTES) {
        return true;
      }
    }
    return false;
  }

  /** Returns the number of a DataNode; -1 if the node is not a DataNode of this snapshot. */
  int number(Node node) {
    Integer number = node instanceof DatanodeDescriptor ? numbers.get(node) : null;
    return number == null ? -1 : number;
  }

  /**
   * Returns the number of a writer, or else of a random DataNode in its rack that is open in a
   * topology of this snapshot; -1 if there is none.
   *
   * @param prefersWriter whether the writer comes before others of its rack
   */
  int near(Node writer, boolean prefersWriter, Topology of, SplittableRandom random) {
    int number = prefersWriter ? number(writer) : -1;
    Integer rack = writer == null ? null : racks.get(rack(writer));
    if (number >= 0 || rack == null || of.open(rack) == 0) {
      return number;
    }
    return of.node(rack, random.nextInt(of.open(rack)));
  }

  DatanodeDescriptor node(int number) {
    return nodes[number];
  }
}
