// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import java.util.Arrays;

/**
 * A snapshot of the DataNodes of a cluster: the rack, the state and the load of each. Nodes and
 * racks are numbered from 0; a caller that keeps numbers across topologies must give a node the
 * same number each time. Immutable.
 */
public final class Topology {
  private final int[] rackOf;
  private final NodeState[] states;
  private final int[] loads;

  /** The nodes of each rack, open nodes first. */
  private final int[][] nodesIn;

  private final int[] openIn;
  private final int liveRacks;
  private final int openNodes;

  private Topology(int racks, int[] rackOf, NodeState[] states, int[] loads) {
    this.rackOf = rackOf;
    this.states = states;
    this.loads = loads;
    this.nodesIn = new int[racks][];
    this.openIn = new int[racks];
    int[] sizes = new int[racks];
    boolean[] lives = new boolean[racks];
    for (int node = 0; node < rackOf.length; node++) {
      sizes[rackOf[node]]++;
      lives[rackOf[node]] |= states[node].isReadable();
    }
    int[] last = new int[racks];
    int live = 0;
    for (int rack = 0; rack < racks; rack++) {
      nodesIn[rack] = new int[sizes[rack]];
      last[rack] = sizes[rack];
      live += lives[rack] ? 1 : 0;
    }
    int open = 0;
    for (int node = 0; node < rackOf.length; node++) {
      int rack = rackOf[node];
      if (states[node] == NodeState.OPEN) {
        nodesIn[rack][openIn[rack]++] = node;
        open++;
      } else {
        nodesIn[rack][--last[rack]] = node;
      }
    }
    this.liveRacks = live;
    this.openNodes = open;
  }

  /** Returns a topology of open, idle nodes; nodes are numbered rack by rack. */
  public static Topology ofRackSizes(int... sizes) {
    Builder builder = new Builder();
    for (int rack = 0; rack < sizes.length; rack++) {
      for (int i = 0; i < sizes[rack]; i++) {
        builder.add(rack, NodeState.OPEN, 0);
      }
    }
    return builder.build();
  }

  /** Returns a topology of open, idle nodes in racks of equal size. */
  public static Topology uniform(int racks, int nodesPerRack) {
    int[] sizes = new int[racks];
    Arrays.fill(sizes, nodesPerRack);
    return ofRackSizes(sizes);
  }

  /** Returns the number of nodes, including dead ones. */
  public int nodes() {
    return rackOf.length;
  }

  /** Returns the number of racks, including those without a live node. */
  public int racks() {
    return nodesIn.length;
  }

  /** Returns how many racks have a live node. */
  public int liveRacks() {
    return liveRacks;
  }

  /** Returns how many nodes accept new blocks. */
  public int openNodes() {
    return openNodes;
  }

  /** Returns whether a number identifies a node. */
  public boolean hasNode(int node) {
    return node >= 0 && node < rackOf.length;
  }

  /** Returns the rack of a node. */
  public int rackOf(int node) {
    return rackOf[node];
  }

  /** Returns the state of a node. */
  public NodeState state(int node) {
    return states[node];
  }

  /** Returns the load of a node, in the unit chosen by the creator of this topology. */
  public int load(int node) {
    return loads[node];
  }

  /** Returns how many nodes a rack has, including dead ones. */
  public int size(int rack) {
    return nodesIn[rack].length;
  }

  /** Returns how many nodes of a rack accept new blocks. */
  public int open(int rack) {
    return openIn[rack];
  }

  /** Returns a node of a rack; nodes that accept new blocks come first. */
  public int node(int rack, int index) {
    return nodesIn[rack][index];
  }

  /** Builds a topology and numbers its nodes from 0. Not thread-safe. */
  public static final class Builder {
    private int[] racks = new int[16];
    private int[] loads = new int[16];
    private NodeState[] states = new NodeState[16];
    private int nodes;
    private int rackCount;

    /**
     * Adds a node.
     *
     * @param rack its rack, from 0; all racks up to the highest number used exist
     * @param state how the node may be used
     * @param load its load, at least 0; nodes with less load are preferred
     * @return its number
     */
    public int add(int rack, NodeState state, int load) {
      if (rack < 0 || load < 0) {
        throw new IllegalArgumentException(
            "Cannot add a node to rack " + rack + " with load " + load + ": must not be negative");
      }
      if (nodes == racks.length) {
        racks = Arrays.copyOf(racks, 2 * nodes);
        loads = Arrays.copyOf(loads, 2 * nodes);
        states = Arrays.copyOf(states, 2 * nodes);
      }
      racks[nodes] = rack;
      loads[nodes] = load;
      states[nodes] = state;
      rackCount = Math.max(rackCount, rack + 1);
      return nodes++;
    }

    /** Returns the topology of the nodes added so far. */
    public Topology build() {
      return new Topology(
          rackCount,
          Arrays.copyOf(racks, nodes),
          Arrays.copyOf(states, nodes),
          Arrays.copyOf(loads, nodes));
    }
  }
}
