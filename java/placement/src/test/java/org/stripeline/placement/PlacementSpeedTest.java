// SPDX-License-Identifier: Apache-2.0
package org.stripeline.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.ear.PendingStripes;
import org.stripeline.placement.ear.ReplicaDraw;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.placement.group.PlacementException;

/**
 * Medians on a cluster of 400 nodes in 20 racks; the limits are far above what an idle machine
 * needs.
 */
class PlacementSpeedTest {
  private static final int SAMPLES = 4000;
  private static final CodeShape RS_6_3 = CodeShape.ofDataAndParity(6, 3);
  private static final RackRule RULE = RackRule.atMost(1).spread();

  private final Topology topology = Topology.uniform(20, 20);
  private final SplittableRandom random = new SplittableRandom(1);

  @Test
  void aGroupIsPlannedInAHundredMicroseconds() throws PlacementException {
    ReplicaDraw draw = new ReplicaDraw(topology, ReplicaDraw.NONE_EXCLUDED, random);
    long[] nanos = new long[SAMPLES];
    for (int sample = -SAMPLES; sample < SAMPLES; sample++) {
      int[][] replicas = new int[6][];
      for (int block = 0; block < 6; block++) {
        replicas[block] = draw.anywhere(random.nextInt(400), 3);
      }
      long begin = System.nanoTime();
      GroupPlan plan = GroupPlanner.plan(RS_6_3, replicas, topology, RULE, random);
      long end = System.nanoTime();
      assertThat(plan.dataBlocks()).isEqualTo(6);
      nanos[Math.max(0, sample)] = end - begin;
    }
    report("planning a (9,6) group of randomly placed blocks", nanos, 100_000);
  }

  @Test
  void aBlockIsPlacedInThirtyMicroseconds() {
    PendingStripes pending = new PendingStripes(RS_6_3, RULE, 1000, 1000, 16);
    long[] nanos = new long[SAMPLES];
    for (int sample = -SAMPLES; sample < SAMPLES; sample++) {
      int writer = random.nextInt(400);
      long begin = System.nanoTime();
      boolean isAdvised =
          pending
              .place("/f" + writer, topology, writer, 3, ReplicaDraw.NONE_EXCLUDED, 0, random)
              .isPresent();
      long end = System.nanoTime();
      assertThat(isAdvised).isTrue();
      nanos[Math.max(0, sample)] = end - begin;
    }
    report("placing a block", nanos, 30_000);
  }

  private static void report(String what, long[] nanos, long limit) {
    Arrays.sort(nanos);
    long median = nanos[nanos.length / 2];
    System.out.printf(
        "%s: median %.1f us, 99th percentile %.1f us%n",
        what, median / 1e3, nanos[nanos.length * 99 / 100] / 1e3);
    assertThat(median).isLessThanOrEqualTo(limit);
  }
}
