// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What the rounds of one step took with one coder. Figures shown are medians over the rounds. */
final class Figures {

  private static final double MIB = 1 << 20;
  private static final double GIB = 1 << 30;

  private final List<Round> rounds = new ArrayList<>();

  /** One timed repetition. */
  static final class Round {
    private final long bytes;
    private final double seconds;
    private final double clientCpuSeconds;
    private final double serverCpuSeconds;

    Round(long bytes, double seconds, double clientCpuSeconds, double serverCpuSeconds) {
      this.bytes = bytes;
      this.seconds = seconds;
      this.clientCpuSeconds = clientCpuSeconds;
      this.serverCpuSeconds = serverCpuSeconds;
    }

    /** This and another round, done one after the other, as one. */
    Round and(Round other) {
      return new Round(
          bytes + other.bytes,
          seconds + other.seconds,
          clientCpuSeconds + other.clientCpuSeconds,
          serverCpuSeconds + other.serverCpuSeconds);
    }

    double mibPerSecond() {
      return bytes / MIB / seconds;
    }
  }

  void add(Round round) {
    rounds.add(round);
  }

  int count() {
    return rounds.size();
  }

  double mibPerSecond() {
    return median(Round::mibPerSecond);
  }

  double seconds() {
    return median(r -> r.seconds);
  }

  double clientCpuSecondsPerGib() {
    return median(r -> r.clientCpuSeconds / (r.bytes / GIB));
  }

  double serverCpuSecondsPerGib() {
    return median(r -> r.serverCpuSeconds / (r.bytes / GIB));
  }

  /** Slowest and fastest round, MiB/s. */
  double[] spread() {
    double[] speeds = rounds.stream().mapToDouble(Round::mibPerSecond).sorted().toArray();
    return new double[] {speeds[0], speeds[speeds.length - 1]};
  }

  private double median(ToDoubleFunction<Round> value) {
    if (rounds.isEmpty()) {
      throw new IllegalStateException("Cannot take median: no round was done");
    }
    double[] sorted = rounds.stream().mapToDouble(value).toArray();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
