// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.ear;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.FlowGraph;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.placement.group.RackTraffic;

class EarStripeTest {
  private static final CodeShape SHAPE_14_10 = CodeShape.ofDataAndParity(10, 4);

  /** Theorem 1 of the paper, and the values measured by its authors and by us for c = 1. */
  @ParameterizedTest
  @CsvSource({"1,1.66,11.8", "2,1.00,10.0", "4,1.00,10.0"})
  void expectedTriesKeepTheBound(int c, double lastExpected, double sumExpected) {
    int racks = 20;
    int stripes = 4000;
    Topology topology = Topology.uniform(racks, 20);
    SplittableRandom random = new SplittableRandom(c);
    double[] tries = new double[SHAPE_14_10.data()];
    for (int i = 0; i < stripes; i++) {
      EarStripe stripe =
          EarStripe.begin(
              SHAPE_14_10, RackRule.atMost(c), topology, random.nextInt(racks), 1000, random);
      for (int block = 0; block < tries.length; block++) {
        Advice advice = stripe.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random);
        tries[block] += advice.tries();
      }
      assertThat(stripe.isFull()).isTrue();
    }
    double sum = 0;
    for (int block = 0; block < tries.length; block++) {
      double mean = tries[block] / stripes;
      double bound = 1 / (1 - Math.floor((double) block / c) / (racks - 1));
      assertThat(mean).as("block %d", block + 1).isLessThanOrEqualTo(bound * 1.03);
      sum += mean;
    }
    assertThat(tries[tries.length - 1] / stripes).isCloseTo(lastExpected, within(0.06));
    assertThat(sum).isCloseTo(sumExpected, within(0.15));
  }

  @Test
  void targetRacksHaveNodesForTheirShareIfThereAreSuch() throws Exception {
    CodeShape shape = CodeShape.ofDataAndParity(6, 3);
    RackRule rule = RackRule.atMost(3).inTargetRacks(3);
    Topology topology = Topology.ofRackSizes(9, 1, 1, 9, 2, 9, 1, 9);
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      EarStripe stripe = EarStripe.beginSparingCore(shape, rule, topology, 0, 20, random);
      int[][] replicas = new int[6][];
      for (int block = 0; block < replicas.length; block++) {
        Advice advice = stripe.placeAnyhow(0, 3, ReplicaDraw.NONE_EXCLUDED, random);
        assertThat(advice.canStay()).as("block %d of stripe %d", block, seed).isTrue();
        replicas[block] = advice.nodes();
      }
      GroupPlan plan = GroupPlanner.plan(shape, replicas, topology, rule, random);
      assertThat(plan.sends()).as("stripe %d", seed).isZero();
      assertThat(plan.relaxation().isNone()).as("stripe %d", seed).isTrue();
    }
    // If there are none, smaller racks are used.
    EarStripe small =
        EarStripe.begin(shape, rule, Topology.uniform(5, 1), 0, 20, new SplittableRandom(1));
    assertThat(small.targetRacks().cardinality()).isEqualTo(3);
  }

  /** Equation 1 of the paper: how often preliminary EAR violates the rule for c = 1. */
  @ParameterizedTest
  @CsvSource({"12,16", "8,16", "6,16", "10,20", "4,12"})
  void aCoreRackAloneBreaksTheRuleAsOftenAsTheFormulaSays(int k, int racks) {
    double expected = preliminaryFailure(k, racks);
    Topology topology = Topology.uniform(racks, 10);
    CodeShape shape = CodeShape.ofDataAndParity(k, 2);
    SplittableRandom random = new SplittableRandom(31L * k + racks);
    ReplicaDraw draw = new ReplicaDraw(topology, ReplicaDraw.NONE_EXCLUDED, random);
    int rounds = 8000;
    int broken = 0;
    for (int round = 0; round < rounds; round++) {
      FlowGraph graph = new FlowGraph(shape, topology, RackRule.atMost(1), null);
      boolean fits = true;
      for (int block = 0; fits && block < k; block++) {
        fits = graph.add(draw.fromRack(3, ReplicaDraw.NO_NODE, 3));
      }
      broken += fits ? 0 : 1;
    }
    assertThat(broken / (double) rounds).isCloseTo(expected, within(0.02));
  }

  @Test
  void theFormulaGivesThePapersExample() {
    assertThat(preliminaryFailure(12, 16)).isCloseTo(0.97, within(0.005));
  }

  private static double preliminaryFailure(int k, int racks) {
    int others = racks - 1;
    double allDifferent = fallingFactorial(others, k);
    double oneEqual = k * (k - 1) / 2.0 * fallingFactorial(others, k - 1);
    return 1 - (allDifferent + oneEqual) / Math.pow(others, k);
  }

  private static double fallingFactorial(int from, int count) {
    return IntStream.range(0, count).mapToDouble(i -> from - i).reduce(1, (a, b) -> a * b);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyBlockHasACopyInTheCoreRackAndTheOthersInOneOther(int replication) {
    Topology topology = Topology.ofRackSizes(5, 2, 9, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1);
    SplittableRandom random = new SplittableRandom(replication);
    for (int round = 0; round < 300; round++) {
      int writer = random.nextInt(topology.nodes());
      int core = topology.rackOf(writer);
      EarStripe stripe =
          EarStripe.begin(SHAPE_14_10, RackRule.atMost(1), topology, core, 5, random);
      while (!stripe.isFull()) {
        Advice advice = stripe.place(writer, replication, ReplicaDraw.NONE_EXCLUDED, random);
        int[] nodes = advice.nodes();
        assertThat(nodes).hasSize(replication).doesNotHaveDuplicates();
        assertThat(nodes[0]).isEqualTo(writer);
        assertThat(advice.coreRack()).isEqualTo(core);
        assertThat(advice.position()).isEqualTo(stripe.blocks() - 1);
        int other = topology.rackOf(nodes[1]);
        assertThat(other).isNotEqualTo(core);
        assertThat(IntStream.of(nodes).skip(1).map(topology::rackOf)).containsOnly(other);
      }
    }
  }

  @Test
  void stripesOfEarAreConvertedWithoutCrossRackReadsAndSends() throws PlacementException {
    Topology topology = Topology.uniform(20, 20);
    SplittableRandom random = new SplittableRandom(5);
    RackRule rule = RackRule.atMost(1).spread();
    for (int round = 0; round < 300; round++) {
      EarStripe stripe = EarStripe.begin(SHAPE_14_10, rule, topology, round % 20, 8, random);
      int[][] replicas = new int[10][];
      for (int block = 0; block < 10; block++) {
        replicas[block] = stripe.place(round % 400, 3, ReplicaDraw.NONE_EXCLUDED, random).nodes();
      }
      GroupPlan plan = GroupPlanner.plan(SHAPE_14_10, replicas, topology, rule, random);
      assertThat(plan.crossRackReads()).isZero();
      assertThat(plan.sends()).isZero();
      assertThat(plan.crossRackParity()).isBetween(3, 4);
      assertThat(plan.relaxation().isNone()).isTrue();
    }
  }

  /**
   * Without the core rack, i - 1 of the other racks are taken for block i; the bound follows from
   * this.
   */
  @Test
  void aReservedCoreRackTakesAParityBlockOfEachStripe() throws PlacementException {
    Topology topology = Topology.uniform(20, 20);
    SplittableRandom random = new SplittableRandom(55);
    RackRule rule = RackRule.atMost(1).spread();
    int stripes = 1000;
    double[] tries = new double[10];
    int plainCrossing = 0;
    for (int round = 0; round < stripes; round++) {
      int core = round % 20;
      EarStripe sparing =
          EarStripe.beginSparingCore(SHAPE_14_10, rule, topology, core, 100, random);
      EarStripe plain = EarStripe.begin(SHAPE_14_10, rule, topology, core, 100, random);
      int[][] spared = new int[10][];
      int[][] replicas = new int[10][];
      for (int block = 0; block < 10; block++) {
        Advice advice = sparing.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random);
        tries[block] += advice.tries();
        spared[block] = advice.nodes();
        replicas[block] =
            plain.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random).nodes();
        if (block % 4 == 1) {
          sparing.withdrawLast();
          spared[block] =
              sparing.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random).nodes();
          assertThat(sparing.moveTo(Topology.uniform(20, 20))).isTrue();
        }
      }
      GroupPlan plan = GroupPlanner.plan(SHAPE_14_10, spared, topology, rule, random);
      assertThat(plan.crossRackParity()).isEqualTo(3);
      assertThat(plan.crossRackReads() + plan.sends()).isZero();
      plainCrossing +=
          GroupPlanner.plan(SHAPE_14_10, replicas, topology, rule, random).crossRackParity();
    }
    assertThat(plainCrossing / (double) stripes).isGreaterThan(3.8);
    for (int block = 0; block < 10; block++) {
      assertThat(tries[block] / stripes).isCloseTo(1 / (1 - block / 19.0), within(0.15));
    }
  }

  @Test
  void theCoreRackIsNotReservedIfThatIsImpossible() {
    // Six blocks in six racks, one per rack: one block must be retained in the core rack.
    Topology topology = Topology.uniform(6, 4);
    SplittableRandom random = new SplittableRandom(56);
    EarStripe stripe =
        EarStripe.beginSparingCore(
            CodeShape.ofDataAndParity(6, 3), RackRule.atMost(1), topology, 2, 8, random);
    for (int block = 0; block < 6; block++) {
      assertThat(stripe.place(8, 2, ReplicaDraw.NONE_EXCLUDED, random)).isNotNull();
    }
    assertThat(stripe.isFull()).isTrue();
    stripe.withdrawLast();
    assertThat(stripe.place(8, 2, ReplicaDraw.NONE_EXCLUDED, random)).isNotNull();
  }

  /**
   * Four parity blocks fit into the core rack if it may hold four blocks and holds no data block.
   */
  @Test
  void parityStaysInTheCoreRackWhereItMay() throws PlacementException {
    Topology topology = Topology.uniform(20, 20);
    SplittableRandom random = new SplittableRandom(6);
    RackRule rule = RackRule.atMost(4);
    for (int round = 0; round < 100; round++) {
      EarStripe stripe = EarStripe.begin(SHAPE_14_10, rule, topology, round % 20, 8, random);
      int[][] replicas = new int[10][];
      for (int block = 0; block < 10; block++) {
        replicas[block] =
            stripe.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random).nodes();
      }
      GroupPlan plan = GroupPlanner.plan(SHAPE_14_10, replicas, topology, rule, random);
      assertThat(plan.crossRackReads() + plan.crossRackSends() + plan.crossRackParity()).isZero();
      assertThat(plan.sends()).isZero();
      assertThat(plan.rackFailuresTolerated()).isEqualTo(1);
    }
  }

  /** The storage balance of the paper: each of 20 racks holds 4.1 to 5.9 % of all replicas. */
  @Test
  void replicasAreBalancedOverRacks() {
    Topology topology = Topology.uniform(20, 20);
    SplittableRandom random = new SplittableRandom(13);
    PendingStripes pending = new PendingStripes(SHAPE_14_10, RackRule.atMost(1), 20, 1000, 16);
    int[] replicas = new int[20];
    int blocks = 10_000;
    for (int block = 0; block < blocks; block++) {
      Advice advice =
          pending
              .place("/", topology, random.nextInt(400), 3, ReplicaDraw.NONE_EXCLUDED, 0, random)
              .get();
      for (int node : advice.nodes()) {
        replicas[topology.rackOf(node)]++;
      }
    }
    assertThat(IntStream.of(replicas)).allMatch(n -> n > 0.041 * 3 * blocks);
    assertThat(IntStream.of(replicas)).allMatch(n -> n < 0.059 * 3 * blocks);
  }

  @Test
  void targetRacksHoldTheWholeStripe() throws PlacementException {
    Topology topology = Topology.uniform(20, 10);
    CodeShape shape = CodeShape.ofDataAndParity(6, 3);
    RackRule rule = RackRule.atMost(3).inTargetRacks(3);
    SplittableRandom random = new SplittableRandom(17);
    int sends = 0;
    for (int round = 0; round < 100; round++) {
      EarStripe stripe = EarStripe.begin(shape, rule, topology, round % 20, 50, random);
      int[][] replicas = new int[6][];
      for (int block = 0; block < 6; block++) {
        replicas[block] =
            stripe.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random).nodes();
      }
      GroupPlan plan =
          GroupPlanner.plan(
              shape, replicas, topology, rule, stripe.targetRacks(), RackTraffic.NONE, random);
      assertThat(plan.relaxation().isNone()).isTrue();
      assertThat(plan.sends()).isZero();
      assertThat(plan.crossRackReads()).isZero();
      // A planner that is not given the target racks almost always finds equally good ones.
      GroupPlan found = GroupPlanner.plan(shape, replicas, topology, rule, random);
      assertThat(found.relaxation().isNone()).isTrue();
      sends += found.sends();
    }
    assertThat(sends).isLessThanOrEqualTo(3);
  }

  @Test
  void racksAreTriedInTurnIfRandomCandidatesFail() {
    // One try, and only one rack other than the core rack is left for the last block.
    Topology topology = Topology.uniform(12, 3);
    CodeShape shape = CodeShape.ofDataAndParity(12, 4);
    SplittableRandom random = new SplittableRandom(23);
    for (int round = 0; round < 200; round++) {
      EarStripe stripe = EarStripe.begin(shape, RackRule.atMost(1), topology, 4, 1, random);
      for (int block = 0; block < 12; block++) {
        Advice advice = stripe.place(ReplicaDraw.NO_NODE, 3, ReplicaDraw.NONE_EXCLUDED, random);
        assertThat(advice).as("block %d", block).isNotNull();
        assertThat(advice.tries()).isLessThanOrEqualTo(12);
      }
    }
  }

  @Test
  void aStripeWithoutSuitableRackIsClosedShort() {
    Topology topology = Topology.uniform(3, 3);
    SplittableRandom random = new SplittableRandom(2);
    EarStripe stripe =
        EarStripe.begin(
            CodeShape.ofDataAndParity(6, 3), RackRule.atMost(1), topology, 0, 3, random);
    for (int block = 0; block < 3; block++) {
      assertThat(stripe.place(0, 3, ReplicaDraw.NONE_EXCLUDED, random)).isNotNull();
    }
    assertThat(stripe.place(0, 3, ReplicaDraw.NONE_EXCLUDED, random)).isNull();
    assertThat(stripe.blocks()).isEqualTo(3);
    stripe.withdrawLast();
    assertThat(stripe.place(0, 3, ReplicaDraw.NONE_EXCLUDED, random)).isNotNull();
  }

  @Test
  void blocksOfAFileAreCountedEvenIfNoneOfTheirReplicasCanStay() {
    Topology topology = Topology.uniform(3, 3);
    SplittableRandom random = new SplittableRandom(2);
    EarStripe stripe =
        EarStripe.beginSparingCore(
            CodeShape.ofDataAndParity(6, 3), RackRule.atMost(1), topology, 0, 3, random);
    for (int block = 0; block < 6; block++) {
      Advice advice = stripe.placeAnyhow(0, 3, ReplicaDraw.NONE_EXCLUDED, random);
      assertThat(advice.position()).isEqualTo(block);
      assertThat(advice.nodes()[0]).isZero();
      if (block % 2 == 1) {
        stripe.withdrawLast();
        assertThat(stripe.placeAnyhow(0, 3, ReplicaDraw.NONE_EXCLUDED, random).position())
            .isEqualTo(block);
      }
    }
    assertThat(stripe.isFull()).isTrue();
    assertThat(stripe.placeAnyhow(0, 3, ReplicaDraw.NONE_EXCLUDED, random)).isNull();
  }

  @Test
  void blocksOfAFileAreCountedEvenIfTheirRackWasRemoved() {
    SplittableRandom random = new SplittableRandom(2);
    EarStripe stripe =
        EarStripe.begin(
            CodeShape.ofDataAndParity(6, 3),
            RackRule.atMost(1),
            Topology.uniform(8, 3),
            7,
            3,
            random);
    for (int block = 0; block < 2; block++) {
      assertThat(stripe.placeAnyhow(22, 3, ReplicaDraw.NONE_EXCLUDED, random)).isNotNull();
    }
    Topology without = Topology.uniform(7, 3);
    assertThat(stripe.moveTo(without)).isFalse();
    assertThat(stripe.placeAnyhow(0, 3, ReplicaDraw.NONE_EXCLUDED, random)).isNull();
    assertThat(stripe.blocks()).isEqualTo(3);
    assertThat(stripe.moveTo(Topology.uniform(9, 3))).isTrue();
    assertThat(stripe.placeAnyhow(22, 3, ReplicaDraw.NONE_EXCLUDED, random).position())
        .isEqualTo(3);
    for (int block = 3; block >= 0; block--) {
      stripe.withdrawLast();
      assertThat(stripe.blocks()).isEqualTo(block);
    }
    assertThatThrownBy(stripe::withdrawLast)
        .hasMessage("Cannot remove a block from a stripe: it has none");
  }

  @Test
  void closedAndExcludedNodesAreNotChosen() {
    Topology.Builder builder = new Topology.Builder();
    for (int node = 0; node < 60; node++) {
      builder.add(node / 10, NodeState.values()[node % 4], 0);
    }
    Topology topology = builder.build();
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 200; round++) {
      EarStripe stripe =
          EarStripe.begin(
              CodeShape.ofDataAndParity(3, 2), RackRule.atMost(2), topology, 2, 4, random);
      // Node 20 is dead: another node of its rack is used instead.
      int[] nodes = stripe.place(20, 3, node -> node % 8 == 3, random).nodes();
      for (int node : nodes) {
        assertThat(topology.state(node)).isEqualTo(NodeState.OPEN);
        assertThat(node % 8).isNotEqualTo(3);
      }
    }
  }

  @Test
  void aNewerTopologyIsTakenIfTheBlocksStillFit() {
    SplittableRandom random = new SplittableRandom(4);
    Topology before = Topology.uniform(6, 3);
    EarStripe stripe =
        EarStripe.begin(CodeShape.ofDataAndParity(4, 2), RackRule.atMost(1), before, 1, 10, random);
    stripe.place(3, 3, ReplicaDraw.NONE_EXCLUDED, random);
    stripe.place(3, 3, ReplicaDraw.NONE_EXCLUDED, random);
    assertThat(stripe.moveTo(Topology.uniform(7, 3))).isTrue();
    assertThat(stripe.blocks()).isEqualTo(2);
    assertThat(stripe.moveTo(Topology.uniform(9, 2))).as("node 3 is in rack 1 still").isTrue();
    assertThat(stripe.moveTo(Topology.uniform(18, 1))).as("node 3 is not").isFalse();
    assertThat(stripe.moveTo(Topology.uniform(1, 27))).isFalse();
    assertThat(stripe.moveTo(Topology.uniform(1, 2))).isFalse();
  }

  @Test
  void triesMustBePositive() {
    assertThatThrownBy(
            () ->
                EarStripe.begin(
                    SHAPE_14_10,
                    RackRule.atMost(1),
                    Topology.uniform(2, 2),
                    0,
                    0,
                    new SplittableRandom(1)))
        .hasMessage("Cannot use 0 candidates for a block: must be at least 1");
  }
}
