// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.SplittableRandom;
import org.stripeline.simulator.network.Clock;
import org.stripeline.simulator.network.Links;
import org.stripeline.simulator.network.Network;
import org.stripeline.simulator.network.Purpose;
import org.stripeline.simulator.network.Transfer;
import org.stripeline.simulator.scenario.Settings;

/**
 * Background traffic: transfers of exponentially distributed size between random nodes at random
 * times, a share of them across racks.
 */
final class Background {
  private final Settings settings;
  private final Clock clock;
  private final Network network;
  private final Links links;
  private final SplittableRandom random;
  private boolean isEnded;

  Background(Run run) {
    this.settings = run.settings;
    this.clock = run.clock;
    this.network = run.network;
    this.links = run.links;
    this.random = run.randoms.background;
  }

  /** Limits the links of node pairs for the whole run, and starts the arrivals. */
  void start() {
    if (settings.injectedRate > 0) {
      // UDP traffic has no congestion control: other transfers get the remaining rate of the link.
      double left = settings.linkNominalRate - settings.injectedRate;
      for (int node = 0; node + 1 < settings.nodes(); node += 2) {
        links.limit(node, node + 1, left);
      }
    }
    if (settings.backgroundPerSecond > 0) {
      clock.after(Randoms.wait(random, settings.backgroundPerSecond), this::send);
    }
  }

  /** Ends arrivals; transfers in progress continue. */
  void end() {
    isEnded = true;
  }

  private void send() {
    if (isEnded) {
      return;
    }
    clock.after(Randoms.wait(random, settings.backgroundPerSecond), this::send);
    boolean isAcross =
        random.nextDouble() < settings.backgroundCrossRackShare || settings.nodesPerRack == 1;
    int source = random.nextInt(settings.nodes());
    int rack = source / settings.nodesPerRack;
    int index = source % settings.nodesPerRack;
    int otherRack = (rack + 1 + random.nextInt(settings.racks - 1)) % settings.racks;
    int inRack = settings.nodesPerRack == 1 ? 0 : 1 + random.nextInt(settings.nodesPerRack - 1);
    int target =
        isAcross
            ? otherRack * settings.nodesPerRack + random.nextInt(settings.nodesPerRack)
            : rack * settings.nodesPerRack + (index + inRack) % settings.nodesPerRack;
    long bytes = 1 + (long) Randoms.exponential(random, settings.backgroundBytesMean);
    network.send(new Transfer(Purpose.BACKGROUND, links.send(source, target), bytes, () -> {}));
  }
}
