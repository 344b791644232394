// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.placement.ClusterFit;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.MaxFlowOracle;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.ReplicaDraw;

class GroupPlannerTest {
  private static final CodeShape RS_6_3 = CodeShape.ofDataAndParity(6, 3);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void smallGroupsArePlannedAsWellAsBruteForceDoes(long seed) throws PlacementException {
    SplittableRandom random = new SplittableRandom(seed);
    int placed = 0;
    int relaxed = 0;
    int sent = 0;
    for (int round = 0; round < 1500; round++) {
      Topology topology = smallTopology(random);
      int k = 1 + random.nextInt(3);
      int m = 1 + random.nextInt(2);
      int[][] replicas = anyReplicas(random, topology, k);
      RackRule rule = RackRule.atMost(1 + random.nextInt(3));
      rule = random.nextBoolean() ? rule.spread() : rule;
      BitSet targets = random.nextInt(3) == 0 ? anyRacks(random, topology) : null;
      RackTraffic traffic = anyTraffic(random, topology, replicas);
      long[] best =
          isReadable(topology, replicas)
              ? BruteForce.best(topology, rule, targets, traffic, replicas, m)
              : null;
      CodeShape shape = CodeShape.ofDataAndParity(k, m);
      if (best == null) {
        RackRule wanted = rule;
        assertThatThrownBy(
                () ->
                    GroupPlanner.plan(shape, replicas, topology, wanted, targets, traffic, random))
            .isInstanceOf(PlacementException.class);
        continue;
      }
      GroupPlan plan = GroupPlanner.plan(shape, replicas, topology, rule, targets, traffic, random);
      check(plan, topology, replicas);
      long[] cost =
          BruteForce.cost(topology, rule, targets, traffic, replicas, nodes(plan), plan.coreRack());
      assertThat(cost).as("seed %d round %d, %s, %s", seed, round, rule, plan).isEqualTo(best);
      assertThat(plan.sends()).isEqualTo((int) cost[3]);
      int crossing = plan.crossRackReads() + plan.crossRackSends() + plan.crossRackParity();
      assertThat(GroupPlanner.CROSSING_WEIGHT * crossing + traffic.through(plan.coreRack()))
          .isEqualTo((int) cost[4]);
      assertThat(plan.relaxation().isNone()).isEqualTo(cost[0] + cost[1] + cost[2] == 0);
      assertThat(plan.relaxation().blocksOffTarget()).isEqualTo((int) cost[1]);
      assertThat(plan.relaxation().racksMissing()).isEqualTo((int) cost[2]);
      placed++;
      relaxed += plan.relaxation().isNone() ? 0 : 1;
      sent += plan.sends() > 0 ? 1 : 0;
    }
    // The generator must cover the relevant cases.
    assertThat(placed).isGreaterThan(500);
    assertThat(relaxed).isGreaterThan(50);
    assertThat(sent).isGreaterThan(50);
  }

  /**
   * On large clusters there is always room for parity, so the flow alone determines how many blocks
   * are sent.
   */
  @ParameterizedTest
  @CsvSource({"20,20,10,4,1", "12,8,6,3,1", "10,6,10,4,2", "5,9,6,3,2", "4,30,10,4,4"})
  void largeGroupsSendWhatTheMaximumFlowOfJGraphTLeaves(int racks, int size, int k, int m, int c)
      throws PlacementException {
    Topology topology = Topology.uniform(racks, size);
    SplittableRandom random = new SplittableRandom(31L * racks + k);
    CodeShape shape = CodeShape.ofDataAndParity(k, m);
    RackRule rule = RackRule.atMost(c).spread();
    int sent = 0;
    for (int round = 0; round < 300; round++) {
      int blocks = round % 5 == 0 ? 1 + random.nextInt(k) : k;
      int writer = random.nextInt(topology.nodes());
      ReplicaDraw draw = new ReplicaDraw(topology, ReplicaDraw.NONE_EXCLUDED, random);
      int[][] replicas = new int[blocks][];
      for (int block = 0; block < blocks; block++) {
        replicas[block] = draw.anywhere(writer, 2 + round % 2);
      }
      GroupPlan plan = GroupPlanner.plan(shape, replicas, topology, rule, random);
      check(plan, topology, replicas);
      int surplus = blocks + m - rule.racksRequired(blocks + m, racks);
      int flow = MaxFlowOracle.maxFlow(topology, Arrays.asList(replicas), c, surplus);
      assertThat(plan.sends()).isEqualTo(blocks - flow);
      assertThat(plan.relaxation().isNone()).isTrue();
      assertThat(plan.crossRackReads()).as("one writer, one core rack").isZero();
      sent += plan.sends();
    }
    assertThat(sent).isPositive();
  }

  /**
   * Groups planned one after the other, each with the traffic of the previous ones, share the links
   * of racks.
   */
  @ParameterizedTest
  @CsvSource({"6,2,6,3,4", "12,1,4,2,16", "20,20,10,4,40"})
  void groupsThatKnowOfEachOtherAreDoneSooner(int racks, int size, int k, int m, int groups)
      throws PlacementException {
    CodeShape shape = CodeShape.ofDataAndParity(k, m);
    Topology topology = Topology.uniform(racks, size);
    RackRule rule = RackRule.even(shape, racks);
    int alone = 0;
    int together = 0;
    for (long seed = 0; seed < 200; seed++) {
      int[][][] replicas = new int[groups][][];
      for (int group = 0; group < groups; group++) {
        SplittableRandom random = new SplittableRandom(seed * groups + group);
        replicas[group] = anyReplicas(random, topology, k);
      }
      alone += busiestLink(shape, replicas, topology, rule, false);
      together += busiestLink(shape, replicas, topology, rule, true);
    }
    assertThat(together).isLessThan(alone * 9 / 10);
  }

  /** Returns how many blocks the busiest link of a rack carries in one direction. */
  private static int busiestLink(
      CodeShape shape, int[][][] groups, Topology topology, RackRule rule, boolean areKnown)
      throws PlacementException {
    RackTraffic sum = new RackTraffic(topology.racks());
    SplittableRandom random = new SplittableRandom(groups[0][0][0]);
    for (int[][] replicas : groups) {
      GroupPlan plan =
          areKnown
              ? GroupPlanner.plan(shape, replicas, topology, rule, null, sum, random)
              : GroupPlanner.plan(shape, replicas, topology, rule, random);
      check(plan, topology, replicas);
      assertThat(plan.relaxation().isNone()).isTrue();
      sum.add(plan);
    }
    int busiest = 0;
    for (int rack = 0; rack < topology.racks(); rack++) {
      busiest = Math.max(busiest, Math.max(sum.into(rack), sum.outOf(rack)));
    }
    return busiest;
  }

  @Test
  void aLargeCodeOnALargeClusterIsPlanned() throws PlacementException {
    Topology topology = Topology.uniform(1000, 40);
    SplittableRandom random = new SplittableRandom(44);
    CodeShape shape = CodeShape.ofDataAndParity(200, 56);
    int[][] replicas = anyReplicas(random, topology, 200);
    GroupPlan plan =
        GroupPlanner.plan(shape, replicas, topology, RackRule.atMost(1).spread(), random);
    check(plan, topology, replicas);
    assertThat(plan.relaxation().isNone()).isTrue();
  }

  @Test
  void theFitOfACodeIsReportedWithTheNumbers() {
    ClusterFit fit = ClusterFit.of(RS_6_3, Topology.uniform(4, 3), RackRule.atMost(3).spread());
    assertThat(fit.keepsRule()).isTrue();
    assertThat(fit.racksNeeded()).isEqualTo(3);
    fit = ClusterFit.of(RS_6_3, Topology.ofRackSizes(5, 2), RackRule.atMost(3));
    assertThat(fit.isPossible()).isFalse();
    assertThat(fit.keepsRule()).isFalse();
    assertThat(fit).hasToString("6+3 needs 9 DataNodes over 3 racks, 7 over 2 can be used");
    fit = ClusterFit.of(RS_6_3, Topology.ofRackSizes(9, 1, 1), RackRule.atMost(3));
    assertThat(fit.isPossible()).isTrue();
    assertThat(fit.keepsRule()).as("only 5 places with at most 3 a rack").isFalse();
    RackRule targets = RackRule.atMost(4).inTargetRacks(2);
    assertThat(ClusterFit.of(RS_6_3, Topology.uniform(9, 9), targets).keepsRule()).isFalse();
  }

  @Test
  void blocksOfOneWriterWithACopyInTheCoreRackNeedNoCrossRackRead() throws PlacementException {
    Topology topology = Topology.uniform(10, 10);
    SplittableRandom random = new SplittableRandom(7);
    int[][] replicas = new int[6][];
    for (int i = 0; i < 6; i++) {
      int rack = 1 + i;
      replicas[i] = new int[] {3, rack * 10 + i, rack * 10 + i + 1};
    }
    GroupPlan plan =
        GroupPlanner.plan(RS_6_3, replicas, topology, RackRule.atMost(1).spread(), random);
    check(plan, topology, replicas);
    assertThat(plan.coreRack()).isZero();
    assertThat(plan.encoder()).isEqualTo(3);
    assertThat(plan.localReads()).isEqualTo(6);
    assertThat(plan.sends()).isZero();
    assertThat(plan.crossRackReads()).isZero();
    assertThat(plan.crossRackParity()).as("one parity block stays in the core rack").isEqualTo(2);
    assertThat(plan.rackFailuresTolerated()).isEqualTo(3);
    assertThat(plan.relaxation()).hasToString("the rack rule is satisfied");
  }

  @Test
  void aShortGroupHasAllItsParity() throws PlacementException {
    Topology topology = Topology.uniform(4, 3);
    SplittableRandom random = new SplittableRandom(8);
    GroupPlan plan =
        GroupPlanner.plan(
            RS_6_3, new int[][] {{0, 3, 4}}, topology, RackRule.atMost(1).spread(), random);
    assertThat(plan.dataBlocks()).isEqualTo(1);
    assertThat(plan.relaxation().isNone()).isTrue();
    assertThat(IntStream.of(nodes(plan)).map(topology::rackOf).distinct().count()).isEqualTo(4);
  }

  @Test
  void violationsOfASingleRackAreReported() throws PlacementException {
    Topology topology = Topology.ofRackSizes(9);
    int[][] replicas = {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {0, 1, 2}, {3, 4, 5}, {3, 4, 5}};
    GroupPlan plan =
        GroupPlanner.plan(
            RS_6_3, replicas, topology, RackRule.atMost(3).spread(), new SplittableRandom(9));
    check(plan, topology, replicas);
    assertThat(plan.sends()).as("four blocks share three nodes").isEqualTo(1);
    assertThat(plan.relaxation().blocksAboveMax()).isEqualTo(6);
    assertThat(plan.relaxation()).hasToString("9 blocks in a rack instead of at most 3");
    assertThat(plan.rackFailuresTolerated()).isZero();
  }

  @Test
  void tooFewNodesAreRefusedWithTheNumbers() {
    Topology topology = Topology.ofRackSizes(3, 3, 1);
    int[][] replicas = {{0, 1, 2}, {0, 3, 4}, {0, 1, 3}, {0, 1, 2}, {0, 1, 2}, {0, 1, 6}};
    assertThatThrownBy(
            () ->
                GroupPlanner.plan(
                    RS_6_3, replicas, topology, RackRule.atMost(3), new SplittableRandom(1)))
        .isInstanceOf(PlacementException.class)
        .hasMessage(
            "Cannot place a group of 6 data and 3 parity blocks: it needs 9 DataNodes,"
                + " 7 can be used (7 of 7 take new blocks)");
  }

  @Test
  void aBlockWithoutAReadableReplicaIsRefused() {
    Topology.Builder builder = new Topology.Builder();
    builder.add(0, NodeState.OPEN, 0);
    builder.add(1, NodeState.DEAD, 0);
    Topology topology = builder.build();
    assertThatThrownBy(
            () ->
                GroupPlanner.plan(
                    RS_6_3,
                    new int[][] {{0}, {1, 77}},
                    topology,
                    RackRule.atMost(1),
                    new SplittableRandom(1)))
        .isInstanceOf(PlacementException.class)
        .hasMessage("Cannot place a group: data block 1 has 2 replicas, of which none can be read");
  }

  @Test
  void moreBlocksThanTheCodeTakesAreAnError() {
    assertThatThrownBy(
            () ->
                GroupPlanner.plan(
                    RS_6_3,
                    new int[7][1],
                    Topology.uniform(3, 3),
                    RackRule.atMost(1),
                    new SplittableRandom(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot plan a group of 7 data blocks: the code 6+3 takes 1 to 6");
  }

  @Test
  void aFullRackKeepsReplicasSoThatOthersTakeParity() throws PlacementException {
    Topology.Builder builder = new Topology.Builder();
    builder.add(0, NodeState.FULL, 0);
    builder.add(1, NodeState.OPEN, 0);
    builder.add(2, NodeState.OPEN, 0);
    Topology topology = builder.build();
    GroupPlan plan =
        GroupPlanner.plan(
            CodeShape.ofDataAndParity(1, 2),
            new int[][] {{1, 0}},
            topology,
            RackRule.atMost(1).spread(),
            new SplittableRandom(1));
    assertThat(plan.dataNode(0)).isZero();
    assertThat(plan.isAdopted(0)).isTrue();
    assertThat(plan.relaxation().isNone()).isTrue();
  }

  @Test
  void aLeavingNodeIsReadFromAndSentAway() throws PlacementException {
    Topology.Builder builder = new Topology.Builder();
    builder.add(0, NodeState.LEAVING, 0);
    builder.add(0, NodeState.OPEN, 0);
    builder.add(1, NodeState.OPEN, 0);
    GroupPlan plan =
        GroupPlanner.plan(
            CodeShape.ofDataAndParity(1, 1),
            new int[][] {{0}},
            builder.build(),
            RackRule.atMost(1),
            new SplittableRandom(1));
    assertThat(plan.isAdopted(0)).isFalse();
    assertThat(plan.encoder()).isEqualTo(1);
    assertThat(plan.readOrder(0)).containsExactly(0);
    assertThat(plan.crossRackReads()).isZero();
    assertThat(plan.crossRackSends() + plan.crossRackParity()).isEqualTo(1);
  }

  @Test
  void blocksStayInTheTargetRacks() throws PlacementException {
    Topology topology = Topology.uniform(12, 8);
    SplittableRandom random = new SplittableRandom(21);
    RackRule rule = RackRule.atMost(3).inTargetRacks(3);
    for (int round = 0; round < 200; round++) {
      int[][] replicas = anyReplicas(random, topology, 6);
      GroupPlan plan = GroupPlanner.plan(RS_6_3, replicas, topology, rule, random);
      check(plan, topology, replicas);
      assertThat(plan.relaxation().isNone()).isTrue();
      assertThat(IntStream.of(nodes(plan)).map(topology::rackOf).distinct().count()).isEqualTo(3);
    }
    BitSet targets = new BitSet();
    targets.set(5);
    GroupPlan plan =
        GroupPlanner.plan(
            RS_6_3,
            new int[][] {{0, 8, 9}},
            topology,
            RackRule.atMost(3),
            targets,
            RackTraffic.NONE,
            random);
    assertThat(plan.relaxation()).hasToString("1 blocks outside the target racks");
  }

  @Test
  void theSameSeedGivesTheSamePlan() throws PlacementException {
    Topology topology = Topology.uniform(20, 20);
    int[][] replicas = anyReplicas(new SplittableRandom(3), topology, 6);
    RackRule rule = RackRule.atMost(1).spread();
    String one =
        GroupPlanner.plan(RS_6_3, replicas, topology, rule, new SplittableRandom(5)).toString();
    String other =
        GroupPlanner.plan(RS_6_3, replicas, topology, rule, new SplittableRandom(5)).toString();
    assertThat(one).isEqualTo(other);
  }

  @Test
  void theLessLoadedNodesGetMoreParity() throws PlacementException {
    Topology.Builder builder = new Topology.Builder();
    for (int node = 0; node < 100; node++) {
      builder.add(node / 10, NodeState.OPEN, node % 2 == 0 ? 1 : 9);
    }
    Topology topology = builder.build();
    SplittableRandom random = new SplittableRandom(11);
    int idle = 0;
    int all = 0;
    for (int round = 0; round < 300; round++) {
      int[][] replicas = anyReplicas(random, topology, 6);
      GroupPlan plan =
          GroupPlanner.plan(RS_6_3, replicas, topology, RackRule.atMost(1).spread(), random);
      for (int i = 0; i < 3; i++) {
        idle += topology.load(plan.parityNode(i)) == 1 ? 1 : 0;
        all++;
      }
    }
    assertThat(idle).isGreaterThan(all * 6 / 10);
  }

  private static void check(GroupPlan plan, Topology topology, int[][] replicas) {
    int[] nodes = nodes(plan);
    assertThat(IntStream.of(nodes).distinct().count()).isEqualTo(nodes.length);
    assertThat(topology.rackOf(plan.encoder())).isEqualTo(plan.coreRack());
    assertThat(topology.state(plan.encoder()).keeps()).isTrue();
    for (int i = 0; i < nodes.length; i++) {
      if (i < replicas.length && plan.isAdopted(i)) {
        assertThat(replicas[i]).contains(nodes[i]);
        assertThat(topology.state(nodes[i]).keeps()).isTrue();
      } else {
        assertThat(topology.state(nodes[i])).isEqualTo(NodeState.OPEN);
      }
    }
    for (int i = 0; i < replicas.length; i++) {
      int nearest = plan.readOrder(i)[0];
      boolean isInCore =
          IntStream.of(replicas[i])
              .anyMatch(
                  r -> topology.rackOf(r) == plan.coreRack() && topology.state(r).isReadable());
      assertThat(topology.rackOf(nearest) == plan.coreRack()).isEqualTo(isInCore);
    }
  }

  private static int[] nodes(GroupPlan plan) {
    return IntStream.range(0, plan.dataBlocks() + plan.shape().parity())
        .map(i -> i < plan.dataBlocks() ? plan.dataNode(i) : plan.parityNode(i - plan.dataBlocks()))
        .toArray();
  }

  private static boolean isReadable(Topology topology, int[][] replicas) {
    for (int[] nodes : replicas) {
      if (IntStream.of(nodes).noneMatch(n -> topology.state(n).isReadable())) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns traffic that makes racks without a replica busy, because the planner does not consider
   * all of them as core racks.
   */
  private static RackTraffic anyTraffic(
      SplittableRandom random, Topology topology, int[][] replicas) {
    BitSet touched = new BitSet();
    for (int[] nodes : replicas) {
      for (int node : nodes) {
        if (topology.hasNode(node) && topology.state(node).isReadable()) {
          touched.set(topology.rackOf(node));
        }
      }
    }
    RackTraffic traffic = new RackTraffic(topology.racks());
    for (int rack = 0; rack < topology.racks(); rack++) {
      int into = touched.get(rack) ? random.nextInt(3) : 99;
      traffic.add(rack, into, touched.get(rack) ? random.nextInt(3) : 0);
    }
    return traffic;
  }

  private static BitSet anyRacks(SplittableRandom random, Topology topology) {
    BitSet racks = new BitSet();
    for (int rack = 0; rack < topology.racks(); rack++) {
      racks.set(rack, random.nextInt(3) > 0);
    }
    return racks;
  }

  private static Topology smallTopology(SplittableRandom random) {
    Topology.Builder builder = new Topology.Builder();
    int racks = 1 + random.nextInt(4);
    for (int rack = 0; rack < racks; rack++) {
      int size = 1 + random.nextInt(3);
      for (int i = 0; i < size; i++) {
        NodeState state = NodeState.values()[3 - Math.max(0, random.nextInt(9) - 5)];
        builder.add(rack, state, random.nextInt(3));
      }
    }
    return builder.build();
  }

  private static int[][] anyReplicas(SplittableRandom random, Topology topology, int blocks) {
    int[][] replicas = new int[blocks][];
    for (int block = 0; block < blocks; block++) {
      replicas[block] = new int[1 + random.nextInt(3)];
      for (int i = 0; i < replicas[block].length; i++) {
        replicas[block][i] = random.nextInt(topology.nodes());
      }
    }
    return replicas;
  }
}
