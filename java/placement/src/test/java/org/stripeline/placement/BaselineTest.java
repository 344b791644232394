// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;

/**
 * Tests random replication as HDFS does it, and its costs; the expected figures are those of the
 * paper.
 */
class BaselineTest {
  private static final CodeShape SHAPE = CodeShape.ofDataAndParity(10, 4);
  private final Topology topology = Topology.uniform(20, 20);
  private final SplittableRandom random = new SplittableRandom(2015);
  private final ReplicaDraw draw = new ReplicaDraw(topology, ReplicaDraw.NONE_EXCLUDED, random);

  @Test
  void aRandomEncoderReadsNineOfTenBlocksAcrossRacks() {
    int reads = 0;
    int rounds = 3000;
    for (int round = 0; round < rounds; round++) {
      int encoderRack = random.nextInt(20);
      for (int[] replicas : stripe()) {
        boolean isLocal = IntStream.of(replicas).anyMatch(n -> topology.rackOf(n) == encoderRack);
        reads += isLocal ? 0 : 1;
      }
    }
    assertThat(reads / (double) rounds).isCloseTo(10 - 2.0 * 10 / 20, within(0.05));
  }

  @Test
  void randomRetentionMovesTwoBlocksAStripeAndAFlowNearlyNone() throws PlacementException {
    int rounds = 3000;
    int blind = 0;
    int sends = 0;
    for (int round = 0; round < rounds; round++) {
      int[][] replicas = stripe();
      blind += BlindRetention.relocations(BlindRetention.retain(replicas, random), topology, 1);
      sends += GroupPlanner.plan(SHAPE, replicas, topology, RackRule.atMost(1), random).sends();
    }
    assertThat(blind / (double) rounds).isCloseTo(1.97, within(0.06));
    assertThat(sends / (double) rounds).isCloseTo(0.04, within(0.02));
  }

  /** Copying a stripe into an erasure-coded directory moves 22.3 blocks across racks on average. */
  @Test
  void copyingAStripeMovesTwentyTwoBlocksAcrossRacks() {
    int rounds = 3000;
    int crossing = 0;
    for (int round = 0; round < rounds; round++) {
      int copier = random.nextInt(400);
      int rack = topology.rackOf(copier);
      for (int[] replicas : stripe()) {
        crossing += IntStream.of(replicas).anyMatch(n -> topology.rackOf(n) == rack) ? 0 : 1;
      }
      for (int node : draw.evenly(ReplicaDraw.NO_NODE, SHAPE.total())) {
        crossing += topology.rackOf(node) == rack ? 0 : 1;
      }
    }
    assertThat(crossing / (double) rounds).isCloseTo(22.3, within(0.1));
  }

  @Test
  void groupsAreSpreadEvenly() {
    Topology unequal = Topology.ofRackSizes(1, 5, 5, 5);
    ReplicaDraw spread = draw(unequal);
    for (int round = 0; round < 200; round++) {
      int writer = round % 16;
      int[] nodes = spread.evenly(writer, 9);
      assertThat(nodes).doesNotHaveDuplicates();
      assertThat(nodes[0]).isEqualTo(writer);
      int[] counts = new int[4];
      for (int node : nodes) {
        counts[unequal.rackOf(node)]++;
      }
      assertThat(counts[0]).isEqualTo(1);
      assertThat(counts[1]).isBetween(2, 3);
      assertThat(counts[2]).isBetween(2, 3);
      assertThat(counts[3]).isBetween(2, 3);
    }
    assertThat(spread.evenly(ReplicaDraw.NO_NODE, 16)).doesNotHaveDuplicates();
    assertThat(spread.evenly(3, 17)).isNull();
    assertThat(draw(Topology.ofRackSizes(3)).evenly(0, 3)).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void relocationsCountBlocksThatMustMove() {
    assertThat(BlindRetention.relocations(new int[] {0, 20, 40}, topology, 1)).isZero();
    assertThat(BlindRetention.relocations(new int[] {0, 1, 2}, topology, 1)).isEqualTo(2);
    assertThat(BlindRetention.relocations(new int[] {0, 0, 1}, topology, 2)).isEqualTo(1);
    assertThat(BlindRetention.relocations(new int[] {0, 0, 0, 1, 2}, topology, 2)).isEqualTo(3);
  }

  @Test
  void replicasArePlacedAsHdfsPlacesThem() {
    Topology unequal = Topology.ofRackSizes(1, 2, 7, 30);
    ReplicaDraw onUnequal = new ReplicaDraw(unequal, ReplicaDraw.NONE_EXCLUDED, random);
    for (int round = 0; round < 500; round++) {
      int writer = random.nextInt(unequal.nodes());
      int[] nodes = onUnequal.anywhere(writer, 3);
      assertThat(nodes).hasSize(3).doesNotHaveDuplicates();
      assertThat(nodes[0]).isEqualTo(writer);
      assertThat(unequal.rackOf(nodes[1])).isNotEqualTo(unequal.rackOf(writer));
      assertThat(unequal.rackOf(nodes[2])).isEqualTo(unequal.rackOf(nodes[1]));
      assertThat(onUnequal.anywhere(ReplicaDraw.NO_NODE, 2)).hasSize(2).doesNotHaveDuplicates();
      assertThat(onUnequal.anywhere(writer, 1)).containsExactly(writer);
    }
    assertThat(onUnequal.anywhere(0, 32)).as("no rack has 31 nodes").isNull();
    assertThat(draw(Topology.ofRackSizes(5)).anywhere(0, 2)).as("one rack only").isNull();
    assertThat(draw(Topology.ofRackSizes()).anywhere(0, 1)).as("no rack").isNull();
  }

  @Test
  void theLessLoadedNodeOfARackIsDrawnMoreOften() {
    Topology.Builder builder = new Topology.Builder();
    for (int node = 0; node < 8; node++) {
      builder.add(node / 4, NodeState.OPEN, node % 4 == 0 ? 0 : 5);
    }
    ReplicaDraw loaded = draw(builder.build());
    int idle = 0;
    for (int round = 0; round < 4000; round++) {
      idle += loaded.anywhere(ReplicaDraw.NO_NODE, 1)[0] % 4 == 0 ? 1 : 0;
    }
    assertThat(idle / 4000.0).as("1 - (3/4)^2").isCloseTo(7 / 16.0, within(0.03));
  }

  private ReplicaDraw draw(Topology of) {
    return new ReplicaDraw(of, ReplicaDraw.NONE_EXCLUDED, random);
  }

  private int[][] stripe() {
    int[][] replicas = new int[SHAPE.data()][];
    for (int block = 0; block < replicas.length; block++) {
      replicas[block] = draw.anywhere(random.nextInt(topology.nodes()), 3);
    }
    return replicas;
  }
}
