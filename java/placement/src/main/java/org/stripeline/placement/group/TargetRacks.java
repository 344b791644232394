// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.FlowGraph;
import org.stripeline.placement.RackOrder;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;

/**
 * Chooses the target racks of a group whose blocks have already been written: those in which the
 * most replicas can be retained. First adds, one at a time, the rack that retains the most blocks,
 * then exchanges single racks while this improves the result. This need not find the best set,
 * which would require a search through all sets.
 */
final class TargetRacks {
  private final CodeShape shape;
  private final GroupReplicas replicas;
  private final Topology topology;
  private final RackRule rule;

  /** Racks with a replica first, then the others; both parts in random order. */
  private final int[] candidates;

  private final int withReplicas;

  private TargetRacks(
      CodeShape shape,
      GroupReplicas replicas,
      Topology topology,
      RackRule rule,
      SplittableRandom random) {
    this.shape = shape;
    this.replicas = replicas;
    this.topology = topology;
    this.rule = RackRule.atMost(rule.blocksPerRackMax());
    this.candidates = RackOrder.shuffled(topology, random);
    int count = 0;
    for (int i = 0; i < candidates.length; i++) {
      int rack = candidates[i];
      if (replicas.blocksIn(rack) > 0) {
        candidates[i] = candidates[count];
        candidates[count++] = rack;
      }
    }
    this.withReplicas = count;
  }

  /** Returns as many target racks as the rule allows, or all racks with room if there are fewer. */
  static BitSet choose(
      CodeShape shape,
      GroupReplicas replicas,
      Topology topology,
      RackRule rule,
      SplittableRandom random) {
    return new TargetRacks(shape, replicas, topology, rule, random).choose(rule.targetRacks());
  }

  private BitSet choose(int count) {
    BitSet chosen = new BitSet(topology.racks());
    int staying = 0;
    while (chosen.cardinality() < count && staying < replicas.blocks()) {
      int best = -1;
      for (int i = 0; i < withReplicas; i++) {
        int value = chosen.get(candidates[i]) ? -1 : valueWith(chosen, candidates[i]);
        if (value > staying) {
          staying = value;
          best = candidates[i];
        }
      }
      if (best < 0) {
        break;
      }
      chosen.set(best);
    }
    exchange(chosen, staying);
    for (int i = 0; i < candidates.length && chosen.cardinality() < count; i++) {
      chosen.set(candidates[i]);
    }
    return chosen;
  }

  private int valueWith(BitSet chosen, int rack) {
    chosen.set(rack);
    int value = value(chosen);
    chosen.clear(rack);
    return value;
  }

  private void exchange(BitSet chosen, int reached) {
    int staying = reached;
    boolean isBetter = true;
    while (isBetter && staying < replicas.blocks()) {
      isBetter = false;
      for (int out = chosen.nextSetBit(0); out >= 0; out = chosen.nextSetBit(out + 1)) {
        for (int i = 0; i < withReplicas && chosen.get(out); i++) {
          if (!chosen.get(candidates[i])) {
            chosen.clear(out);
            int value = valueWith(chosen, candidates[i]);
            boolean helps = value > staying;
            chosen.set(helps ? candidates[i] : out);
            staying = Math.max(staying, value);
            isBetter |= helps;
          }
        }
      }
    }
  }

  /** Returns how many blocks can retain a replica in the given racks. */
  private int value(BitSet racks) {
    FlowGraph graph = new FlowGraph(shape, topology, rule, racks);
    for (int block = 0; block < replicas.blocks(); block++) {
      graph.add(replicas.of(block));
    }
    return graph.blocks();
  }
}
