// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.Arrays;
import org.stripeline.simulator.scenario.Settings;

/** The share of all replicas that each rack has. */
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
}
