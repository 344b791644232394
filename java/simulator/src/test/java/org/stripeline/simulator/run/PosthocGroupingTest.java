// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.StripeAudit;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;

class PosthocGroupingTest {

  /**
   * Thousandths of 2,000 blocks that are grouped: in one pass, and after the remaining blocks are
   * grouped again.
   */
  @ParameterizedTest
  @CsvSource({"6,3,12,980,990", "6,3,20,965,980", "10,4,20,935,960"})
  void nearlyAllBlocksOfALargePoolFindAStripe(
      int k, int m, int racks, int onePassShare, int share) {
    CodeShape shape = CodeShape.ofDataAndParity(k, m);
    Topology topology = Topology.uniform(racks, 20);
    RackRule rule = RackRule.atMost(1);
    int blocks = 2000;
    int rounds = 5;
    int inOnePass = 0;
    int grouped = 0;
    for (int round = 0; round < rounds; round++) {
      SplittableRandom random = new SplittableRandom(100 * k + 10 * racks + round);
      int[][] replicas = written(topology, blocks, 3, random);
      PosthocGrouping grouping = new PosthocGrouping(shape, rule, topology);
      List<BlockSet> groups = groups(grouping, replicas);
      inOnePass += groups.size() * k;
      groups.addAll(grouping.finish());
      grouped += groups.size() * k;
      check(groups, replicas, topology, shape, rule);
    }
    assertThat(inOnePass * 1000 / (blocks * rounds)).isGreaterThanOrEqualTo(onePassShare);
    assertThat(grouped * 1000 / (blocks * rounds)).isGreaterThanOrEqualTo(share);
  }

  @Test
  void foundStripesAreConvertedWithoutCrossRackReadsAndSends() throws PlacementException {
    CodeShape shape = CodeShape.ofDataAndParity(6, 3);
    Topology topology = Topology.uniform(12, 10);
    RackRule rule = RackRule.atMost(1).spread();
    SplittableRandom random = new SplittableRandom(77);
    int[][] replicas = written(topology, 600, 3, random);
    List<BlockSet> groups = groups(new PosthocGrouping(shape, rule, topology), replicas);
    assertThat(groups).hasSizeGreaterThan(80);
    for (BlockSet group : groups) {
      int[][] ofGroup = new int[6][];
      for (int i = 0; i < 6; i++) {
        ofGroup[i] = replicas[(int) group.blocks()[i]];
      }
      GroupPlan plan = GroupPlanner.plan(shape, ofGroup, topology, rule, random);
      assertThat(plan.crossRackReads()).isZero();
      assertThat(plan.sends()).isZero();
    }
  }

  @Test
  void twoReplicasInUnequalRacksAndDeadNodesAreGroupedToo() {
    Topology.Builder builder = new Topology.Builder();
    SplittableRandom random = new SplittableRandom(6);
    for (int rack = 0; rack < 9; rack++) {
      for (int i = 0; i <= rack; i++) {
        builder.add(rack, random.nextInt(10) == 0 ? NodeState.DEAD : NodeState.OPEN, 0);
      }
    }
    Topology topology = builder.build();
    CodeShape shape = CodeShape.ofDataAndParity(6, 3);
    RackRule rule = RackRule.atMost(3);
    int[][] replicas = new int[500][];
    for (int block = 0; block < replicas.length; block++) {
      replicas[block] = new int[] {random.nextInt(45), random.nextInt(45)};
    }
    PosthocGrouping grouping = new PosthocGrouping(shape, rule, topology);
    List<BlockSet> groups = groups(grouping, replicas);
    groups.addAll(grouping.finish());
    check(groups, replicas, topology, shape, rule);
    assertThat(groups.size() * 6).isGreaterThan(400);
  }

  @Test
  void blocksThatCannotStayAreInNoGroup() {
    Topology.Builder builder = new Topology.Builder();
    builder.add(0, NodeState.DEAD, 0);
    builder.add(0, NodeState.LEAVING, 0);
    PosthocGrouping grouping =
        new PosthocGrouping(CodeShape.ofDataAndParity(1, 1), RackRule.atMost(1), builder.build());
    assertThat(grouping.add(1, 0)).isNull();
    assertThat(grouping.add(2, 1)).isNull();
    assertThat(grouping.add(3, 99)).isNull();
    assertThat(grouping.finish()).isEmpty();
  }

  private static List<BlockSet> groups(PosthocGrouping grouping, int[][] replicas) {
    List<BlockSet> groups = new ArrayList<>();
    for (int block = 0; block < replicas.length; block++) {
      BlockSet group = grouping.add(block, replicas[block]);
      if (group != null) {
        groups.add(group);
      }
    }
    return groups;
  }

  private static int[][] written(
      Topology topology, int blocks, int replication, SplittableRandom random) {
    ReplicaDraw draw = new ReplicaDraw(topology, ReplicaDraw.NONE_EXCLUDED, random);
    int[][] replicas = new int[blocks][];
    for (int block = 0; block < blocks; block++) {
      replicas[block] = draw.anywhere(random.nextInt(topology.nodes()), replication);
    }
    return replicas;
  }

  private static void check(
      List<BlockSet> groups, int[][] replicas, Topology topology, CodeShape shape, RackRule rule) {
    Set<Long> seen = new HashSet<>();
    for (BlockSet group : groups) {
      long[] blocks = group.blocks();
      int[] retained = group.retained();
      assertThat(blocks).hasSize(shape.data());
      for (int i = 0; i < blocks.length; i++) {
        int[] nodes = replicas[(int) blocks[i]];
        assertThat(seen.add(blocks[i])).isTrue();
        assertThat(nodes).contains(retained[i]);
        assertThat(IntStream.of(nodes).filter(n -> topology.state(n).isReadable()))
            .extracting(topology::rackOf)
            .contains(group.coreRack());
      }
      StripeAudit audit = StripeAudit.of(retained, shape.parity(), topology, rule);
      assertThat(audit.isSound() || rule.isSpread()).isTrue();
    }
  }
}
