// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/** The input of a layout: the replicas of a group, the number of parity blocks, the rack rule. */
final class GroupTask {
  private final GroupReplicas replicas;
  private final Topology topology;
  private final RackRule rule;
  private final int parity;
  private final RackTraffic traffic;

  /** The racks allowed for blocks, null if all are. */
  private final BitSet targets;

  /**
   * The racks that hold a replica, in ascending order, and for each the number of open nodes that
   * hold one.
   */
  private final int[] touchedRacks;

  private final int[] openWithReplica;

  GroupTask(
      GroupReplicas replicas,
      int parity,
      Topology topology,
      RackRule rule,
      BitSet targets,
      RackTraffic traffic) {
    this.replicas = replicas;
    this.parity = parity;
    this.topology = topology;
    this.rule = rule;
    this.targets = targets;
    this.traffic = traffic;
    int[] nodes = replicas.distinct();
    int[] racks = new int[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      racks[i] = topology.rackOf(nodes[i]);
    }
    Arrays.sort(racks);
    int count = 0;
    for (int i = 0; i < racks.length; i++) {
      if (i == 0 || racks[i] != racks[i - 1]) {
        racks[count++] = racks[i];
      }
    }
    touchedRacks = Arrays.copyOf(racks, count);
    openWithReplica = new int[count];
    for (int node : nodes) {
      if (topology.state(node) == NodeState.OPEN) {
        openWithReplica[Arrays.binarySearch(touchedRacks, topology.rackOf(node))]++;
      }
    }
  }

  GroupReplicas replicas() {
    return replicas;
  }

  Topology topology() {
    return topology;
  }

  RackRule rule() {
    return rule;
  }

  int parity() {
    return parity;
  }

  RackTraffic traffic() {
    return traffic;
  }

  /** Returns the number of blocks of the group, fewer than n for a short group. */
  int blocks() {
    return replicas.blocks() + parity;
  }

  int racksRequired() {
    int live = topology.liveRacks();
    return rule.racksRequired(blocks(), targets == null ? live : Math.min(live, targetCount()));
  }

  private int targetCount() {
    return targets.cardinality();
  }

  boolean isTarget(int rack) {
    return targets == null || targets.get(rack);
  }

  /** Returns the racks that hold a replica. The caller must not modify the array. */
  int[] touchedRacks() {
    return touchedRacks;
  }

  /** Returns how many nodes of a rack accept new blocks and hold none of the group's replicas. */
  int openWithoutReplica(int rack) {
    int touched = Arrays.binarySearch(touchedRacks, rack);
    return topology.open(rack) - (touched < 0 ? 0 : openWithReplica[touched]);
  }

  /**
   * Returns the racks that a layout must consider: those with a replica, then others with an open
   * node in random order. Racks without a replica differ only in size, and a group that has as many
   * of them as blocks needs no second block in any of them.
   */
  int[] racksToConsider(SplittableRandom random) {
    int[] others = new int[topology.racks()];
    int eligible = 0;
    for (int rack = 0; rack < others.length; rack++) {
      if (topology.open(rack) > 0 && Arrays.binarySearch(touchedRacks, rack) < 0) {
        others[eligible++] = rack;
      }
    }
    int[] racks = Arrays.copyOf(touchedRacks, touchedRacks.length + eligible);
    int count = touchedRacks.length;
    int targetsWanted = blocks();
    int othersWanted = targets == null ? 0 : blocks();
    for (int i = 0; i < eligible && targetsWanted + othersWanted > 0; i++) {
      int pick = i + random.nextInt(eligible - i);
      int rack = others[pick];
      others[pick] = others[i];
      if (isTarget(rack) && targetsWanted > 0) {
        targetsWanted--;
        racks[count++] = rack;
      } else if (!isTarget(rack) && othersWanted > 0) {
        othersWanted--;
        racks[count++] = rack;
      }
    }
    return Arrays.copyOf(racks, count);
  }

  /** Returns the index of each distinct node's rack among the racks to consider. */
  int[] rackIndexes(int[] racks) {
    int[] nodes = replicas.distinct();
    int[] indexes = new int[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      // The racks with a replica come first, in ascending order.
      indexes[i] = Arrays.binarySearch(racks, 0, touchedRacks.length, topology.rackOf(nodes[i]));
    }
    return indexes;
  }
}
