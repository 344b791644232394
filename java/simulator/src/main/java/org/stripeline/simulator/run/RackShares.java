// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Arrays;
import org.stripeline.simulator.scenario.Settings;

/** The shares of racks in all replicas, and in the reads of some blocks. */
final class RackShares {
  private RackShares() {}

  /** Returns the shares of all racks in ascending order. */
  static double[] of(Blocks blocks, Settings settings) {
    double[] shares = new double[settings.racks];
    int replication = blocks.replication();
    for (int block = 0; block < blocks.count(); block++) {
      for (int i = 0; i < replication; i++) {
        shares[blocks.node(block, i) / settings.nodesPerRack]++;
      }
    }
    for (int rack = 0; rack < shares.length; rack++) {
      shares[rack] /= (double) blocks.count() * replication;
    }
    Arrays.sort(shares);
    return shares;
  }

  /**
   * Returns the largest share of a rack in the reads of the first blocks, if each block is read
   * equally often, from any of the racks that have a replica of it.
   */
  static double mostReads(Blocks blocks, int count, Settings settings) {
    double[] shares = new double[settings.racks];
    for (int block = 0; block < count; block++) {
      int[] racks =
          Arrays.stream(blocks.replicas(block))
              .map(node -> node / settings.nodesPerRack)
              .distinct()
              .toArray();
      for (int rack : racks) {
        shares[rack] += 1.0 / racks.length / count;
      }
    }
    return Arrays.stream(shares).max().orElse(0);
  }
}
