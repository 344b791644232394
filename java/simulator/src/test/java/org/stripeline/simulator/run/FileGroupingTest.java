// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;

/**
 * Measures what a choice of the blocks of a group could save where HDFS leaves one. A group is a
 * run of consecutive blocks of a file, so that the choices are where a file is cut, and the order
 * of whole files that {@code concat} joins. The decision record on grouping quotes these numbers.
 */
class FileGroupingTest {
  private static final CodeShape SHAPE = CodeShape.ofDataAndParity(10, 4);
  private static final RackRule RULE = RackRule.atMost(1);
  private static final Topology TOPOLOGY = Topology.uniform(20, 20);
  private static final int K = 10;
  private static final int IMPOSSIBLE = 1_000_000;

  private final SplittableRandom random = new SplittableRandom(14);

  private int[][] written(int blocks) {
    ReplicaDraw draw = new ReplicaDraw(TOPOLOGY, ReplicaDraw.NONE_EXCLUDED, random);
    int[][] replicas = new int[blocks][];
    for (int i = 0; i < blocks; i++) {
      replicas[i] = draw.anywhere(random.nextInt(TOPOLOGY.nodes()), 3);
    }
    return replicas;
  }

  /** Returns the blocks that encoding a group moves between racks. */
  private int moves(int[][] replicas) {
    try {
      GroupPlan plan = GroupPlanner.plan(SHAPE, replicas, TOPOLOGY, RULE, random);
      return plan.crossRackReads() + plan.crossRackSends() + plan.crossRackParity();
    } catch (PlacementException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the fewest moves for a file that is cut into a number of groups. */
  private int fewest(int[][] file, int groups) {
    int[] best = new int[file.length + 1];
    Arrays.fill(best, IMPOSSIBLE);
    best[0] = 0;
    int[][] cost = new int[file.length][file.length + 1];
    for (int from = 0; from < file.length; from++) {
      for (int to = from + 1; to <= Math.min(file.length, from + K); to++) {
        cost[from][to] = moves(Arrays.copyOfRange(file, from, to));
      }
    }
    for (int group = 0; group < groups; group++) {
      int[] next = new int[file.length + 1];
      Arrays.fill(next, IMPOSSIBLE);
      for (int to = 1; to <= file.length; to++) {
        for (int from = Math.max(0, to - K); from < to; from++) {
          next[to] = Math.min(next[to], Math.min(IMPOSSIBLE, best[from] + cost[from][to]));
        }
      }
      best = next;
    }
    return best[file.length];
  }

  @Test
  void cuttingAFileElsewhereSavesLittleAndOneMoreGroupCostsMore() {
    int files = 100;
    int asHdfsCuts = 0;
    int bestCut = 0;
    int oneMore = 0;
    for (int i = 0; i < files; i++) {
      int[][] file = written(15);
      asHdfsCuts += moves(Arrays.copyOf(file, K)) + moves(Arrays.copyOfRange(file, K, 15));
      bestCut += fewest(file, 2);
      oneMore += fewest(file, 3);
    }
    assertThat(bestCut / (double) asHdfsCuts).isBetween(0.94, 0.98);
    assertThat(oneMore / (double) asHdfsCuts).isBetween(1.02, 1.06);
  }

  @Test
  void aFileOfFullGroupsHasNoOtherCutWithoutOneMoreGroup() {
    int files = 50;
    int asHdfsCuts = 0;
    int oneMore = 0;
    for (int i = 0; i < files; i++) {
      int[][] file = written(2 * K);
      int whole = moves(Arrays.copyOf(file, K)) + moves(Arrays.copyOfRange(file, K, 2 * K));
      assertThat(fewest(file, 1)).as("groups of more than k blocks").isEqualTo(IMPOSSIBLE);
      asHdfsCuts += whole;
      oneMore += fewest(file, 3);
    }
    assertThat(oneMore).isGreaterThan(asHdfsCuts);
  }

  @Test
  void joiningFilesInAChosenOrderSavesMoreTheFewerBlocksTheyHave() {
    int[][] pool = written(400);
    double byName = joined(pool, 1, false);
    assertThat(byName / (400 / K)).isBetween(9.5, 10.5);
    assertThat(joined(pool, 1, true) / byName).isBetween(0.35, 0.5);
    assertThat(joined(pool, 2, true) / byName).isBetween(0.6, 0.8);
    assertThat(joined(pool, 5, true) / byName).isBetween(0.85, 0.95);
  }

  /** Returns the moves of groups of whole files of some blocks, in order or greedily chosen. */
  private int joined(int[][] pool, int size, boolean isChosen) {
    List<int[][]> files = new ArrayList<>();
    for (int i = 0; i < pool.length; i += size) {
      files.add(Arrays.copyOfRange(pool, i, i + size));
    }
    int sum = 0;
    while (!files.isEmpty()) {
      int[][] group = files.remove(0);
      while (group.length < K) {
        int best = 0;
        int fewest = Integer.MAX_VALUE;
        for (int i = 0; i < (isChosen ? files.size() : 1); i++) {
          int moves = moves(join(group, files.get(i)));
          if (moves < fewest) {
            best = i;
            fewest = moves;
          }
        }
        group = join(group, files.remove(best));
      }
      sum += moves(group);
    }
    return sum;
  }

  private static int[][] join(int[][] one, int[][] other) {
    int[][] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }
}
