// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import org.stripeline.simulator.network.CircuitNetwork;
import org.stripeline.simulator.network.Clock;
import org.stripeline.simulator.network.Digest;
import org.stripeline.simulator.network.LinkRates;
import org.stripeline.simulator.network.Links;
import org.stripeline.simulator.network.Network;
import org.stripeline.simulator.network.ReservingNetwork;
import org.stripeline.simulator.network.StoreAndForwardNetwork;
import org.stripeline.simulator.scenario.Settings;

/** The objects that all parts of one run share. */
final class Run {
  final Settings settings;
  final Clock clock = new Clock();
  final Digest digest = new Digest();
  final Cluster cluster;
  final Links links;
  final Network network;
  final Randoms randoms;

  Run(Settings settings, long seed) {
    this.settings = settings;
    this.randoms = new Randoms(seed);
    this.cluster = new Cluster(settings);
    this.links =
        new Links(
            cluster.topology(),
            new LinkRates(
                settings.nodeRate,
                settings.rackRate,
                settings.diskReadRate,
                settings.diskWriteRate));
    this.network = network();
  }

  private Network network() {
    switch (settings.network) {
      case CIRCUIT_RECEIVER_FIRST:
        return new ReservingNetwork(clock, digest, ReservingNetwork.Order.RECEIVER_FIRST);
      case CIRCUIT_SENDER_FIRST:
        return new ReservingNetwork(clock, digest, ReservingNetwork.Order.SENDER_FIRST);
      case CIRCUIT_FIRST_FIT:
        return new CircuitNetwork(clock, digest);
      default:
        return new StoreAndForwardNetwork(
            clock, digest, settings.segmentBytes, settings.segmentsMax);
    }
  }
}
