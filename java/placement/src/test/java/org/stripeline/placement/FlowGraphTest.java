// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlowGraphTest {

  @ParameterizedTest
  @CsvSource({"1,false", "2,false", "1,true", "2,true", "5,true"})
  void allPairsOfReplicasOfFiveBlocksInFourRacksAreDecidedAsByBruteForce(int c, boolean isSpread) {
    Topology topology = Topology.uniform(4, 1);
    everyLayout(topology, 5, 2, isSpread ? RackRule.atMost(c).spread() : RackRule.atMost(c));
  }

  @ParameterizedTest
  @CsvSource({"1,false", "2,false", "2,true", "3,true"})
  void allTriplesOfReplicasInUnequalRacksAreDecidedAsByBruteForce(int c, boolean isSpread) {
    Topology topology = Topology.ofRackSizes(1, 3, 1, 1);
    everyLayout(topology, 3, 3, isSpread ? RackRule.atMost(c).spread() : RackRule.atMost(c));
  }

  @Test
  void allPairsInThreeRacksWithLittleSurplusAreDecidedAsByBruteForce() {
    everyLayout(Topology.uniform(3, 2), 4, 2, RackRule.atMost(3).spread());
  }

  private static void everyLayout(Topology topology, int blocks, int replication, RackRule rule) {
    List<int[]> choices = new ArrayList<>();
    combinations(topology.nodes(), replication, 0, new int[replication], 0, choices);
    CodeShape shape = CodeShape.ofDataAndParity(blocks, 1);
    int surplus = surplus(shape, rule, topology);
    FlowGraph graph = new FlowGraph(shape, topology, rule, null);
    extend(graph, topology, choices, rule.blocksPerRackMax(), surplus, new ArrayList<>());
  }

  /** Tries every choice for the next block after the previous ones. */
  private static void extend(
      FlowGraph graph,
      Topology topology,
      List<int[]> choices,
      int c,
      int surplus,
      List<int[]> before) {
    for (int[] choice : choices) {
      before.add(choice);
      boolean isPossible = fits(topology, before, 0, new HashMap<>(), new BitSet(), c, surplus);
      assertThat(graph.add(choice)).isEqualTo(isPossible);
      if (isPossible) {
        checkMatching(graph, topology, before, c, surplus);
        if (!graph.isFull()) {
          extend(graph, topology, choices, c, surplus, before);
        }
        graph.removeLast();
      }
      before.remove(before.size() - 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "20,20,10,4,1,3,false,1", "20,20,10,4,1,3,true,2", "9,3,6,3,1,2,true,3",
    "5,4,10,4,3,3,true,4", "4,6,12,4,4,2,true,5", "6,2,8,2,2,2,false,6",
    "12,4,10,4,3,2,true,10", "12,4,10,4,2,2,true,11", "10,4,10,2,3,2,true,12",
    "9,7,40,10,6,3,true,7", "9,7,40,10,6,2,false,8", "30,4,60,20,3,3,true,9"
  })
  void theFlowIsThatOfJGraphT(
      int racks, int size, int k, int m, int c, int replication, boolean isSpread, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    CodeShape shape = CodeShape.ofDataAndParity(k, m);
    RackRule rule = isSpread ? RackRule.atMost(c).spread() : RackRule.atMost(c);
    int refused = 0;
    for (int round = 0; round < 40; round++) {
      Topology topology = unequal(random, racks, size);
      int surplus = surplus(shape, rule, topology);
      FlowGraph graph = new FlowGraph(shape, topology, rule, null);
      List<int[]> accepted = new ArrayList<>();
      for (int tries = 0; tries < 2 * k && !graph.isFull(); tries++) {
        int[] nodes = new int[replication];
        for (int i = 0; i < replication; i++) {
          nodes[i] = random.nextInt(topology.nodes());
        }
        accepted.add(nodes);
        int flow = MaxFlowOracle.maxFlow(topology, accepted, c, surplus);
        boolean isAdded = graph.add(nodes);
        assertThat(isAdded).isEqualTo(flow == accepted.size());
        if (!isAdded) {
          refused++;
          accepted.remove(accepted.size() - 1);
        } else if (random.nextInt(10) == 0) {
          graph.removeLast();
          accepted.remove(accepted.size() - 1);
        }
        checkMatching(graph, topology, accepted, c, surplus);
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void onlyTargetRacksTakeBlocks() {
    Topology topology = Topology.uniform(3, 2);
    BitSet targets = new BitSet();
    targets.set(1);
    FlowGraph graph =
        new FlowGraph(CodeShape.ofDataAndParity(3, 1), topology, RackRule.atMost(2), targets);
    assertThat(graph.add(0, 4)).isFalse();
    assertThat(graph.add(0, 2)).isTrue();
    assertThat(graph.add(0, 2, 3)).isTrue();
    assertThat(graph.add(1, 2, 3)).isFalse();
    assertThat(graph.retained(0)).isEqualTo(2);
    assertThat(graph.retained(1)).isEqualTo(3);
  }

  @Test
  void misuseIsReported() {
    FlowGraph graph =
        new FlowGraph(
            CodeShape.ofDataAndParity(1, 1), Topology.uniform(2, 2), RackRule.atMost(1), null);
    assertThatThrownBy(graph::removeLast)
        .hasMessage("Cannot remove a block from a stripe: it has none");
    assertThat(graph.add(0)).isTrue();
    assertThatThrownBy(() -> graph.add(1))
        .hasMessage("Cannot add a block to a stripe: it has all of its 1 data blocks");
    assertThatThrownBy(() -> graph.retained(1))
        .hasMessage("Cannot name the node of block 1: the stripe has 1");
  }

  private static int surplus(CodeShape shape, RackRule rule, Topology topology) {
    return shape.total() - rule.racksRequired(shape.total(), topology.liveRacks());
  }

  private static Topology unequal(SplittableRandom random, int racks, int size) {
    Topology.Builder builder = new Topology.Builder();
    for (int rack = 0; rack < racks; rack++) {
      int nodes = 1 + random.nextInt(2 * size);
      for (int i = 0; i < nodes; i++) {
        builder.add(rack, NodeState.values()[Math.min(3, random.nextInt(20))], 0);
      }
    }
    return builder.build();
  }

  private static void checkMatching(
      FlowGraph graph, Topology topology, List<int[]> blocks, int c, int surplusMax) {
    assertThat(graph.blocks()).isEqualTo(blocks.size());
    BitSet used = new BitSet();
    Map<Integer, Integer> counts = new HashMap<>();
    for (int block = 0; block < blocks.size(); block++) {
      int node = graph.retained(block);
      assertThat(blocks.get(block)).contains(node);
      assertThat(topology.state(node).keeps()).isTrue();
      assertThat(used.get(node)).isFalse();
      used.set(node);
      counts.merge(topology.rackOf(node), 1, Integer::sum);
    }
    assertThat(counts.values()).allMatch(count -> count <= c);
    assertThat(blocks.size() - counts.size()).isLessThanOrEqualTo(surplusMax);
  }

  private static boolean fits(
      Topology topology,
      List<int[]> blocks,
      int next,
      Map<Integer, Integer> counts,
      BitSet used,
      int c,
      int surplus) {
    if (next == blocks.size()) {
      return true;
    }
    for (int node : blocks.get(next)) {
      int rack = topology.rackOf(node);
      int count = counts.getOrDefault(rack, 0);
      int left = surplus - (count > 0 ? 1 : 0);
      if (!used.get(node) && count < c && left >= 0) {
        used.set(node);
        counts.put(rack, count + 1);
        boolean fits = fits(topology, blocks, next + 1, counts, used, c, left);
        used.clear(node);
        counts.put(rack, count);
        if (fits) {
          return true;
        }
      }
    }
    return false;
  }

  private static void combinations(
      int nodes, int size, int from, int[] chosen, int count, List<int[]> found) {
    if (count == size) {
      found.add(chosen.clone());
      return;
    }
    for (int node = from; node < nodes; node++) {
      chosen[count] = node;
      combinations(nodes, size, node + 1, chosen, count + 1, found);
    }
  }
}
