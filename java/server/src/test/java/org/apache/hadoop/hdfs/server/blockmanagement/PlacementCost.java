// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.stripeline.server.namenode.EarKeys;

/**
 * Measures the cost of a placement compared to Hadoop's own, for 400 DataNodes in 20 racks. A
 * program that is run with the class path of this module's tests.
 */
final class PlacementCost {
  private PlacementCost() {}

  /** Prints the medians. */
  public static void main(String[] arguments) throws Exception {
    Path dir = Files.createTempDirectory("placement");
    Configuration conf = new Configuration(false);
    conf.set(EarKeys.DIRECTORIES, "/warm");
    try (PaperCluster cluster = new PaperCluster(dir, 20, 20, conf)) {
      for (int run = 0; run < 3; run++) {
        double[] medians = medianMicros(cluster, 20_000, 5);
        System.out.printf(
            "Hadoop %.1f us, encoding-aware %.1f us a block%n", medians[0], medians[1]);
      }
    }
  }

  /**
   * Returns the median microseconds of a call to Hadoop's placement and to the encoding-aware one.
   */
  static double[] medianMicros(PaperCluster cluster, int calls, int rounds) {
    BlockPlacementPolicy policy = cluster.blockManager().getBlockPlacementPolicy();
    BlockStoragePolicy hot = BlockStoragePolicySuite.createDefaultSuite().getDefaultPolicy();
    EnumSet<AddBlockFlag> none = EnumSet.noneOf(AddBlockFlag.class);
    double[][] medians = new double[2][rounds];
    for (int round = 0; round < rounds; round++) {
      for (int ours = 0; ours < 2; ours++) {
        long[] nanos = new long[calls];
        for (int call = 0; call < calls; call++) {
          String file = (ours == 1 ? "/warm/" : "/cold/") + call % 100;
          DatanodeDescriptor writer = cluster.nodes().get(call % 100 * 4);
          long start = System.nanoTime();
          DatanodeStorageInfo[] targets =
              policy.chooseTarget(file, 3, writer, null, 128 << 20, null, hot, none);
          nanos[call] = System.nanoTime() - start;
          if (targets.length != 3) {
            throw new IllegalStateException(targets.length + " DataNodes for 3 replicas");
          }
        }
        Arrays.sort(nanos);
        medians[ours][round] = nanos[calls / 2] / 1e3;
      }
    }
    Arrays.sort(medians[0]);
    Arrays.sort(medians[1]);
    return new double[] {medians[0][rounds / 2], medians[1][rounds / 2]};
  }
}
