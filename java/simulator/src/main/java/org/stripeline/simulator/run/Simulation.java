// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.simulator.network.NetworkTraffic;
import org.stripeline.simulator.network.Purpose;
import org.stripeline.simulator.scenario.Labels;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.ScenarioException;
import org.stripeline.simulator.scenario.Settings;

/** Simulates one policy with one seed. */
public final class Simulation {
  private static final double MB = 1e6;
  private static final double GB = 1e9;

  private final Run run;
  private final Policy policy;
  private final long seed;
  private final Placer placer;
  private final Preload preload;
  private final Writes writes;
  private final Background background;
  private final Encoding encoding;
  private final Failures failures;
  private final double[] rackShares;
  private final double readShareMost;
  private final double triesPerBlock;

  private Simulation(Settings settings, Policy policy, long seed) throws ScenarioException {
    this.run = new Run(settings, seed);
    this.policy = policy;
    this.seed = seed;
    this.placer = new Placer(settings, policy, run.randoms.placement);
    this.preload = new Preload(settings, policy, placer, run.randoms);
    preload.write(run.cluster.topology());
    this.rackShares = RackShares.of(preload.blocks(), settings);
    int blocks = settings.stripes * settings.shape.data();
    this.readShareMost = RackShares.mostReads(preload.blocks(), blocks, settings);
    this.triesPerBlock = (double) placer.tries() / preload.blocks().count();
    StripePlanner planner =
        new StripePlanner(settings, policy, preload.blocks(), run.randoms.planning);
    this.writes = new Writes(run, placer);
    this.background = new Background(run);
    this.failures = new Failures(run, preload.blocks(), preload.stripes());
    this.encoding = new Encoding(run, planner, preload.stripes(), failures, this::end);
  }

  /**
   * Runs until all stripes are encoded and all pending transfers have arrived.
   *
   * @throws ScenarioException if the rack rule leaves too little room to form the stripes
   * @throws IllegalStateException if bytes were lost, which is a bug of the simulator
   */
  public static RunResult run(Settings settings, Policy policy, long seed)
      throws ScenarioException {
    return new Simulation(settings, policy, seed).run();
  }

  private RunResult run() {
    background.start();
    writes.start();
    failures.start();
    run.clock.after(run.settings.encodeStartSeconds, encoding::start);
    run.clock.run();
    NetworkTraffic traffic = run.network.traffic();
    if (traffic.sent() != traffic.received() || run.links.bytesUp() != run.links.bytesDown()) {
      throw new IllegalStateException(
          "Cannot trust the run: "
              + traffic.sent()
              + " bytes were sent, "
              + traffic.received()
              + " received; "
              + run.links.bytesUp()
              + " left racks, "
              + run.links.bytesDown()
              + " entered racks");
    }
    return outcome();
  }

  /** Stops new activity after all stripes are encoded. */
  private void end() {
    writes.end();
    background.end();
    failures.end();
  }

  private RunResult outcome() {
    EncodingTally tally = encoding.tally();
    RunResult outcome = new RunResult();
    outcome.policy = Labels.of(policy);
    outcome.seed = seed;
    outcome.encodeSeconds = encoding.seconds();
    outcome.stripesEncoded = tally.stripes();
    outcome.stripesSkipped = tally.skippedStripes();
    double bytes = (double) tally.stripes() * run.settings.shape.data() * run.settings.blockBytes;
    outcome.encodeMbPerSecond = bytes / MB / encoding.seconds();
    outcome.crossRackReadsPerStripe = tally.crossRackReads();
    outcome.crossRackParityPerStripe = tally.crossRackParity();
    outcome.crossRackSendsPerStripe = tally.crossRackSends();
    outcome.localReadsPerStripe = tally.localReads();
    outcome.relocationsPerStripe = tally.relocations();
    outcome.rulesBrokenShare = tally.rulesBroken();
    outcome.relocatingShare = tally.relocating();
    outcome.triesPerStripe = triesPerBlock * run.settings.shape.data();
    double start = run.settings.encodeStartSeconds;
    outcome.writeSecondsBefore = meanWrite(0, start);
    outcome.writeSecondsDuring = meanWrite(start, start + encoding.seconds());
    outcome.writeMbPerSecondDuring = meanRate(start, start + encoding.seconds());
    outcome.writesDuring = countWrites(start, start + encoding.seconds());
    outcome.rackShareLeast = rackShares[0];
    outcome.rackShareMost = rackShares[rackShares.length - 1];
    outcome.rackShares = rackShares;
    outcome.readShareMost = readShareMost;
    outcome.writes = writes.byBegin();
    outcome.rackLinkUse = run.links.rackUse(run.clock.now());
    outcome.crossRackGb = crossRack();
    outcome.failures = failures.tally();
    outcome.simulatedSeconds = run.clock.now();
    outcome.events = run.clock.happened();
    outcome.digest = run.digest.finish();
    return outcome;
  }

  private Map<String, Double> crossRack() {
    Map<String, Double> map = new LinkedHashMap<>();
    for (Purpose purpose : Purpose.values()) {
      map.put(Labels.of(purpose), run.network.traffic().across(purpose) / GB);
    }
    return map;
  }

  private double meanWrite(double from, double to) {
    return writes.answered().stream()
        .filter(write -> write[0] >= from && write[0] < to)
        .mapToDouble(write -> write[1])
        .average()
        .orElse(Double.NaN);
  }

  private double meanRate(double from, double to) {
    return writes.answered().stream()
        .filter(write -> write[0] >= from && write[0] < to)
        .mapToDouble(write -> run.settings.blockBytes / MB / write[1])
        .average()
        .orElse(Double.NaN);
  }

  private long countWrites(double from, double to) {
    List<double[]> answered = writes.answered();
    return answered.stream().filter(write -> write[0] >= from && write[0] < to).count();
  }
}
