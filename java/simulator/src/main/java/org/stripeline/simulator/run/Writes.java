// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.stripeline.simulator.network.Clock;
import org.stripeline.simulator.network.Links;
import org.stripeline.simulator.network.Network;
import org.stripeline.simulator.network.Purpose;
import org.stripeline.simulator.network.Transfer;
import org.stripeline.simulator.scenario.Settings;

/** Clients on nodes that each write one block, at random times (a Poisson process). */
final class Writes {
  private final Settings settings;
  private final Clock clock;
  private final Network network;
  private final Links links;
  private final Cluster cluster;
  private final Placer placer;
  private final SplittableRandom random;
  private final List<double[]> answered = new ArrayList<>();
  private boolean isEnded;

  Writes(Run run, Placer placer) {
    this.settings = run.settings;
    this.clock = run.clock;
    this.network = run.network;
    this.links = run.links;
    this.cluster = run.cluster;
    this.placer = placer;
    this.random = run.randoms.writes;
  }

  void start() {
    if (settings.writesPerSecond > 0) {
      clock.after(Randoms.wait(random, settings.writesPerSecond), this::write);
    }
  }

  /** Ends arrivals; writes in progress continue. */
  void end() {
    isEnded = true;
  }

  private void write() {
    if (isEnded) {
      return;
    }
    clock.after(Randoms.wait(random, settings.writesPerSecond), this::write);
    int writer = random.nextInt(settings.nodes());
    if (!cluster.isLive(writer)) {
      return;
    }
    int[] nodes = placer.place(cluster.topology(), writer, new Object()).nodes;
    if (nodes == null) {
      return;
    }
    double askedAt = clock.now();
    network.send(
        new Transfer(
            Purpose.WRITE,
            links.pipeline(writer, nodes),
            settings.blockBytes,
            () ->
                clock.after(
                    settings.writeOverheadSeconds,
                    () -> answered.add(new double[] {askedAt, clock.now() - askedAt}))));
  }

  /** Returns what {@link #answered} does, in the order of the starts. */
  double[][] byBegin() {
    double[][] sorted = answered.toArray(new double[0][]);
    Arrays.sort(sorted, Comparator.comparingDouble(write -> write[0]));
    return sorted;
  }

  /** Returns the start and the response time of each write in seconds, in order of completion. */
  List<double[]> answered() {
    return answered;
  }
}
