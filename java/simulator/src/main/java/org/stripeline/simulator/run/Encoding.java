// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.PlacementException;
import org.stripeline.simulator.network.Clock;
import org.stripeline.simulator.network.Digest;
import org.stripeline.simulator.network.Links;
import org.stripeline.simulator.network.Network;
import org.stripeline.simulator.network.Purpose;
import org.stripeline.simulator.network.Transfer;
import org.stripeline.simulator.scenario.Settings;

/**
 * Encodes all stripes with processes that each encode one stripe after another: read k blocks in
 * parallel, compute, write parity and the blocks that must move in parallel, wait, continue. A
 * stripe may be encoded in several parts, of which one is read while another one is computed and a
 * third one is written.
 */
final class Encoding {
  /** Kinds of events in the digest. */
  private static final int PLANNED = 3;

  private static final int ENCODED = 4;

  /** Maximum number of attempts to encode a stripe that has a block without a live replica. */
  private static final int ATTEMPTS_MAX = 10;

  private final Settings settings;
  private final Clock clock;
  private final Digest digest;
  private final Network network;
  private final Links links;
  private final Cluster cluster;
  private final StripePlanner planner;
  private final EncodingTally tally = new EncodingTally();
  private final List<Process> processes = new ArrayList<>();
  private final ArrayDeque<SimulatedStripe> anywhere = new ArrayDeque<>();
  private final Failures failures;
  private final Runnable whenDone;
  private int stripesLeft;
  private double startedAt;
  private double endedAt;

  Encoding(
      Run run,
      StripePlanner planner,
      List<SimulatedStripe> stripes,
      Failures failures,
      Runnable whenDone) {
    this.settings = run.settings;
    this.clock = run.clock;
    this.digest = run.digest;
    this.network = run.network;
    this.links = run.links;
    this.cluster = run.cluster;
    this.planner = planner;
    this.failures = failures;
    this.whenDone = whenDone;
    this.stripesLeft = stripes.size();
    for (int i = 0; i < settings.encodersPerRack; i++) {
      for (int rack = 0; rack < settings.racks; rack++) {
        int node = run.randoms.planning.nextInt(settings.nodesPerRack);
        processes.add(new Process(rack * settings.nodesPerRack + node));
      }
    }
    int[] assigned = new int[settings.racks];
    for (SimulatedStripe stripe : stripes) {
      if (stripe.encodingRack() == SimulatedStripe.ANYWHERE) {
        anywhere.add(stripe);
      } else {
        int encoder = assigned[stripe.encodingRack()]++ % settings.encodersPerRack;
        processes.get(encoder * settings.racks + stripe.encodingRack()).stripes.add(stripe);
      }
    }
  }

  void start() {
    startedAt = clock.now();
    for (Process process : processes) {
      process.next();
    }
  }

  double seconds() {
    return endedAt - startedAt;
  }

  EncodingTally tally() {
    return tally;
  }

  private void stripeDone() {
    if (--stripesLeft == 0) {
      endedAt = clock.now();
      whenDone.run();
    }
  }

  /** One encoding process; encodes one stripe at a time. */
  private final class Process {
    private final int node;
    private final ArrayDeque<SimulatedStripe> stripes = new ArrayDeque<>();
    private SimulatedStripe stripe;
    private EncodePlan plan;
    private double plannedAt;
    private int partsRead;
    private int partsComputed;
    private int partsWritten;
    private boolean isComputing;
    private boolean isWriting;

    Process(int node) {
      this.node = node;
    }

    void next() {
      stripe = stripes.isEmpty() ? anywhere.poll() : stripes.poll();
      if (stripe == null) {
        return;
      }
      Topology topology = cluster.topology();
      try {
        plan = planner.plan(stripe, node, topology);
      } catch (PlacementException e) {
        postpone();
        return;
      }
      plannedAt = clock.now();
      tally.planned(plan, topology);
      digest.note(PLANNED, clock.now(), plan.encoder, plan.relocations);
      partsRead = 0;
      partsComputed = 0;
      partsWritten = 0;
      read();
    }

    private void read() {
      Countdown done = new Countdown(plan.sources.length, this::partRead);
      for (int source : plan.sources) {
        network.send(
            new Transfer(
                Purpose.ENCODE_READ,
                links.read(source, plan.encoder),
                partBytes(partsRead),
                done::count));
      }
    }

    private void partRead() {
      partsRead++;
      if (partsRead < settings.encodingParts) {
        read();
      }
      compute();
    }

    /** Postpones the stripe, as a rack outage may end, or skips it after the last attempt. */
    private void postpone() {
      if (stripe.postponed() < ATTEMPTS_MAX) {
        stripes.add(stripe);
      } else {
        tally.skipped();
        stripeDone();
      }
      clock.after(settings.gapSeconds + settings.detectionSeconds, this::next);
    }

    private void compute() {
      if (!isComputing && partsComputed < partsRead) {
        isComputing = true;
        clock.after(settings.computeSeconds / settings.encodingParts, this::partComputed);
      }
    }

    private void partComputed() {
      isComputing = false;
      partsComputed++;
      compute();
      write();
    }

    private void write() {
      if (isWriting || partsWritten == partsComputed) {
        return;
      }
      isWriting = true;
      int data = plan.sources.length;
      int transfers = 0;
      for (int i = 0; i < plan.layout.length; i++) {
        transfers += i >= data || plan.isSent[i] ? 1 : 0;
      }
      Countdown done = new Countdown(transfers, this::partWritten);
      for (int i = 0; i < plan.layout.length; i++) {
        if (i >= data || plan.isSent[i]) {
          network.send(
              new Transfer(
                  i >= data ? Purpose.PARITY : Purpose.SEND,
                  links.write(plan.encoder, plan.layout[i]),
                  partBytes(partsWritten),
                  done::count));
        }
      }
    }

    private void partWritten() {
      isWriting = false;
      partsWritten++;
      if (partsWritten == settings.encodingParts) {
        end();
      } else {
        write();
      }
    }

    private long partBytes(int part) {
      long parts = settings.encodingParts;
      return settings.blockBytes * (part + 1) / parts - settings.blockBytes * part / parts;
    }

    private void end() {
      stripe.encoded(plan.layout);
      failures.encoded(stripe, plannedAt);
      digest.note(ENCODED, clock.now(), plan.encoder, stripesLeft);
      stripeDone();
      clock.after(settings.gapSeconds, this::next);
    }
  }

  /** Runs something when all transfers have been counted. */
  private static final class Countdown {
    private final Runnable then;
    private int left;

    Countdown(int transfers, Runnable then) {
      this.left = transfers;
      this.then = then;
    }

    void count() {
      if (--left == 0) {
        then.run();
      }
    }
  }
}
