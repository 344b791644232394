// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.stripeline.simulator.network.Digest;
import org.stripeline.simulator.run.RunResult;
import org.stripeline.simulator.scenario.Figure;
import org.stripeline.simulator.scenario.Labels;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.terminal.Spread;

/**
 * The results of one policy under one variant: means of all runs. Field names are those of the
 * JSON.
 */
public final class Result {
  private static final double PERCENT = 100;

  public final String policy;
  public final double encodeSeconds;
  public final double encodeMbPerSecond;
  public final Spread encodeMbPerSecondSpread;
  public final double writeMbPerSecond;
  public final double writeSeconds;

  /** A digest of the digests of all runs. */
  public final String digest;

  /** The complete result of the first run. */
  public final RunResult firstRun;

  public final double[] encodeMbPerSecondOfRuns;
  public final double[] writeMbPerSecondOfRuns;

  final transient List<RunResult> runs;

  private final transient Policy kind;

  Result(Policy kind, List<RunResult> runs) {
    this.kind = kind;
    this.policy = Labels.of(kind);
    this.runs = runs;
    this.firstRun = runs.get(0);
    encodeMbPerSecondOfRuns = runs.stream().mapToDouble(run -> run.encodeMbPerSecond).toArray();
    writeMbPerSecondOfRuns = runs.stream().mapToDouble(run -> run.writeMbPerSecondDuring).toArray();
    encodeSeconds = mean(run -> run.encodeSeconds);
    encodeMbPerSecond = mean(run -> run.encodeMbPerSecond);
    encodeMbPerSecondSpread = Spread.of(runs, run -> run.encodeMbPerSecond);
    writeMbPerSecond = mean(run -> run.writeMbPerSecondDuring);
    writeSeconds = mean(run -> run.writeSecondsDuring);
    Digest all = new Digest();
    for (RunResult run : runs) {
      all.note(run.seed, 0, Long.parseUnsignedLong(run.digest, 16), 0);
    }
    digest = all.finish();
  }

  Policy kind() {
    return kind;
  }

  double mean(ToDoubleFunction<RunResult> value) {
    return runs.stream().mapToDouble(value).average().orElse(Double.NaN);
  }

  /** Returns the mean shares of the racks of each rank in percent, in ascending order of share. */
  double[][] rackShares() {
    double[][] points = new double[runs.get(0).rackShares.length][2];
    for (int rack = 0; rack < points.length; rack++) {
      int rank = rack;
      points[rack][0] = rack + 1;
      points[rack][1] = PERCENT * mean(run -> run.rackShares[rank]);
    }
    return points;
  }

  /**
   * Returns the start and the response time of the first run's writes, averaged over {@code
   * writesPerPoint} writes.
   */
  double[][] responses(int writesPerPoint) {
    double[][] writes = runs.get(0).writes;
    double[][] points = new double[writes.length / writesPerPoint][2];
    for (int i = 0; i < points.length * writesPerPoint; i++) {
      points[i / writesPerPoint][0] += writes[i][0] / writesPerPoint;
      points[i / writesPerPoint][1] += writes[i][1] / writesPerPoint;
    }
    return points;
  }

  /**
   * Returns the value of a figure; NaN if there is none, for example for writes without writers.
   */
  double figure(Figure figure, Result first) {
    ToDoubleFunction<RunResult> value = value(figure);
    return figure.isRelative() ? gain(mean(value), first.mean(value)) : mean(value);
  }

  /**
   * Returns the spread of a figure over the runs, each compared with the run of the first policy
   * that has the same seed; null if there is none.
   */
  Spread spread(Figure figure, Result first) {
    ToDoubleFunction<RunResult> value = value(figure);
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      double own = value.applyAsDouble(runs.get(i));
      values.add(figure.isRelative() ? gain(own, value.applyAsDouble(first.runs.get(i))) : own);
    }
    return values.stream().anyMatch(found -> found.isNaN()) ? null : Spread.of(values);
  }

  /** Returns the value of a run from which a figure is computed. */
  private static ToDoubleFunction<RunResult> value(Figure figure) {
    switch (figure) {
      case ENCODE_GAIN_PERCENT:
      case ENCODE_MB_PER_SECOND:
        return run -> run.encodeMbPerSecond;
      case WRITE_GAIN_PERCENT:
        return run -> run.writeMbPerSecondDuring;
      case ENCODE_TIME_CHANGE_PERCENT:
      case ENCODE_SECONDS:
        return run -> run.encodeSeconds;
      case RESPONSE_CHANGE_PERCENT:
        return run -> run.writeSecondsDuring;
      case WRITE_SECONDS_BEFORE:
        return run -> run.writeSecondsBefore;
      case RACK_SHARE_LEAST_PERCENT:
        return run -> PERCENT * run.rackShareLeast;
      case RACK_SHARE_MOST_PERCENT:
        return run -> PERCENT * run.rackShareMost;
      case READ_SHARE_MOST_PERCENT:
        return run -> PERCENT * run.readShareMost;
      case CROSS_RACK_BLOCKS_PER_STRIPE:
        return RunResult::crossRackBlocksPerStripe;
      case RELOCATIONS_PER_STRIPE:
        return run -> run.relocationsPerStripe;
      case RELOCATING_STRIPES_PERCENT:
        return run -> PERCENT * run.relocatingShare;
      default:
        return run -> run.triesPerStripe;
    }
  }

  private static double gain(double value, double base) {
    return PERCENT * (value / base - 1);
  }
}
