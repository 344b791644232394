// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.stripeline.lab.bench.Judgement;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.Spread;

/**
 * Compares the samples with the documented thresholds of the client pipelines. A ratio is computed
 * within each repetition, and its median is judged; what was not measured is not judged.
 */
final class Judge {
  private static final String COARSE = "RS-6-3-1024k";
  private static final String FINE = "RS-6-3-64k";

  /** Number of threads in the threshold for random reads. */
  private static final int RANDOM_THREADS = 16;

  private static final double SHAPED_SHARE_MIN = 0.95;

  /** From this share of all processors on, the processors limit a transfer instead of the links. */
  private static final double BUSY_MIN = 0.8;

  private static final double BYTES_PER_MBIT = 1e6 / 8;

  private final List<Sample> samples;
  private final boolean rough;
  private final List<Judgement> judgements = new ArrayList<>();

  /**
   * Creates a judge.
   *
   * @param rough whether the samples are too short for a verdict
   */
  Judge(List<Sample> samples, boolean rough) {
    this.samples = samples;
    this.rough = rough;
  }

  static boolean isOurStream(String stream) {
    return stream != null
        && (stream.startsWith("org.apache.hadoop.hdfs.Stripeline")
            || stream.equals("org.apache.hadoop.hdfs.DurableOutputStream"));
  }

  List<Judgement> judge() {
    boolean loopback = samples.stream().anyMatch(s -> s.linkMbit == IoSettings.LOOPBACK);
    if (loopback) {
      judgeWrite();
      judgeSyncs();
      judgeHealthyReads();
      judgeDegradedReads();
      judgeHangingDataNode();
      judgeRandomReads();
    }
    TreeSet<Integer> rates = new TreeSet<>();
    samples.forEach(sample -> rates.add(sample.linkMbit));
    rates.remove(IoSettings.LOOPBACK);
    for (int rate : rates) {
      judgeShaped(rate);
    }
    return judgements;
  }

  /** Judges access counts. Counts are not times, so they are judged for any amount of data. */
  static List<Judgement> judge(List<AccessCount> accesses) {
    Map<String, List<AccessCount>> groups = new LinkedHashMap<>();
    for (AccessCount access : accesses) {
      String name = access.policy + ", " + access.dead + " dead, bytes that DataNodes read";
      groups.computeIfAbsent(name, n -> new ArrayList<>()).add(access);
    }
    List<Judgement> judgements = new ArrayList<>();
    groups.forEach(
        (name, group) ->
            judgements.add(
                Judgement.of(
                    name + ", the most by those for Hadoop's client",
                    group.stream().mapToDouble(AccessCount::ratio).max().getAsDouble(),
                    String.format(
                        Locale.ROOT,
                        "at most %.2f and %d KiB more",
                        AccessCount.ratioMax(group.get(0).dead),
                        AccessCount.TOLERANCE_BYTES >> 10),
                    true,
                    group.stream().allMatch(AccessCount::isKept))));
    return judgements;
  }

  private void judgeWrite() {
    Side ours = side(COARSE, 1, "write", IoContestant.FUNCTIONAL_PARTITIONED);
    atLeast(1.5, "write, times isal in Hadoop's pipeline", ours, ours.by(IoContestant.ISAL));
    atLeast(
        1.3,
        "write, times isal in Hadoop's pipeline with 1 MiB packets",
        ours,
        ours.by(IoContestant.ISAL_1M));
    atLeast(3.0, "write, times rs_java", ours, ours.by(IoContestant.RS_JAVA));
    atLeast(2.0, "write, times 4-rep", ours, ours.by(IoContestant.REPLICATED_4));
    atMost(
        2.1,
        "write, CPU seconds per GiB of client and servers",
        ours,
        median(ours, Sample::totalCpuSecondsPerGib));
  }

  private void judgeSyncs() {
    Side ours = side(COARSE, 1, "write", IoContestant.FUNCTIONAL_PARTITIONED);
    atLeast(0.97, "write, times not-durable", ours, ours.by(IoContestant.NOT_DURABLE));
    judgeLatency(1.05, "sync");
    judgeLatency(3, "first-sync");
  }

  private void judgeLatency(double max, String operation) {
    Side ours = side(COARSE, 1, operation, IoContestant.FUNCTIONAL_PARTITIONED);
    Side replicated = side(COARSE, 1, operation, IoContestant.REPLICATED_3);
    atMost(
        max,
        operation + ", p50 by that of 3-rep",
        ours,
        ratio(ours, replicated, sample -> sample.latency.p50));
  }

  private void judgeHealthyReads() {
    for (String policy : new String[] {COARSE, FINE}) {
      Side ours = side(policy, 1, "read", IoContestant.FUNCTIONAL_PARTITIONED);
      atLeast(
          policy.equals(COARSE) ? 1.2 : 1.6,
          "read " + policy + ", times Hadoop's pipeline",
          ours,
          ours.by(IoContestant.CODER));
    }
    for (String policy : new String[] {COARSE, FINE}) {
      Side ours = side(policy, 1, "pread", IoContestant.FUNCTIONAL_PARTITIONED);
      atLeast(
          1.0, "pread " + policy + ", times Hadoop's pipeline", ours, ours.by(IoContestant.CODER));
    }
  }

  private void judgeDegradedReads() {
    Side healthy = side(COARSE, 1, "read", IoContestant.FUNCTIONAL_PARTITIONED);
    for (int dead = 1; dead <= 3; dead++) {
      String operation = "read-dead" + dead;
      Side ours = side(COARSE, 1, operation, IoContestant.FUNCTIONAL_PARTITIONED);
      atLeast(
          0.8,
          operation + ", times our healthy read",
          ours,
          ratio(ours, healthy, sample -> sample.mibPerSecond));
      atLeast(7.0, operation + ", times rs_java", ours, ours.by(IoContestant.RS_JAVA));
    }
  }

  private void judgeHangingDataNode() {
    Side healthy = side(COARSE, 1, "read", IoContestant.FUNCTIONAL_PARTITIONED);
    Side ours = side(COARSE, 1, "read-hung", IoContestant.FUNCTIONAL_PARTITIONED);
    List<Double> longer = new ArrayList<>();
    pairs(ours, healthy, (hung, well) -> longer.add(hung.seconds - well.seconds));
    atMost(
        1.0,
        "read-hung, seconds longer than without a hung DataNode",
        ours,
        longer.isEmpty() ? null : Spread.of(longer).median);
  }

  private void judgeRandomReads() {
    Side ours = side(COARSE, RANDOM_THREADS, "random", IoContestant.FUNCTIONAL_PARTITIONED);
    Side stock = side(COARSE, RANDOM_THREADS, "random", IoContestant.CODER);
    atMost(
        1.0,
        "random, " + RANDOM_THREADS + " threads, mean time by that of Hadoop's pipeline",
        ours,
        ratio(ours, stock, sample -> sample.latency.mean));
    atMost(
        1.0,
        "random, " + RANDOM_THREADS + " threads, p99 by that of Hadoop's pipeline",
        ours,
        ratio(ours, stock, sample -> sample.latency.p99));
    Side oursHurt =
        side(COARSE, RANDOM_THREADS, "random-dead2", IoContestant.FUNCTIONAL_PARTITIONED);
    Side stockHurt = side(COARSE, RANDOM_THREADS, "random-dead2", IoContestant.CODER);
    atMost(
        0.5,
        "random-dead2, " + RANDOM_THREADS + " threads, p99 by that of Hadoop's pipeline",
        oursHurt,
        ratio(oursHurt, stockHurt, sample -> sample.latency.p99));
  }

  /**
   * Judges samples with limited links: where the links are the limit, the client must use them
   * almost fully; where the processors are, it must be faster than the other contestants.
   */
  private void judgeShaped(int rate) {
    for (String operation : new String[] {"write", "read"}) {
      Side ours = new Side(rate, COARSE, 1, operation, IoContestant.FUNCTIONAL_PARTITIONED);
      String name = operation + ", links of " + rate + " Mbit/s, ";
      Double mibPerSecond = median(ours, sample -> sample.mibPerSecond);
      Double share =
          mibPerSecond == null ? null : mibPerSecond * ByteSize.MIB / (6 * rate * BYTES_PER_MBIT);
      Double busy = median(ours, Judge::shareOfProcessors);
      if (busy == null || busy < BUSY_MIN) {
        atLeast(SHAPED_SHARE_MIN, name + "share of 6 links", ours, share);
        if (operation.equals("write")) {
          atLeast(5.7, name + "times 4-rep", ours, ours.by(IoContestant.REPLICATED_4));
        }
      } else if (operation.equals("write")) {
        atLeast(3.0, name + "client bounds, times rs_java", ours, ours.by(IoContestant.RS_JAVA));
        atLeast(1.5, name + "client bounds, times isal", ours, ours.by(IoContestant.ISAL));
      }
    }
  }

  private static double shareOfProcessors(Sample sample) {
    double gib = sample.mibPerSecond * sample.seconds / 1024;
    return sample.totalCpuSecondsPerGib()
        * gib
        / sample.seconds
        / Runtime.getRuntime().availableProcessors();
  }

  private static Side side(String policy, int threads, String operation, IoContestant contestant) {
    return new Side(IoSettings.LOOPBACK, policy, threads, operation, contestant);
  }

  /** One contestant in one operation. */
  private static final class Side {
    private final int rate;
    private final String policy;
    private final int threads;
    private final String operation;
    private final IoContestant contestant;

    Side(int rate, String policy, int threads, String operation, IoContestant contestant) {
      this.rate = rate;
      this.policy = policy;
      this.threads = threads;
      this.operation = operation;
      this.contestant = contestant;
    }

    /** Returns the same operation with another contestant. */
    Side by(IoContestant other) {
      return new Side(rate, policy, threads, operation, other);
    }

    boolean holds(Sample sample) {
      return sample.linkMbit == rate
          && sample.policy.equals(policy)
          && sample.threads == threads
          && sample.operation.equals(operation)
          && sample.contestant.equals(contestant.label());
    }
  }

  private interface Pair {
    void see(Sample one, Sample other);
  }

  private void pairs(Side one, Side other, Pair pair) {
    for (Sample left : samples) {
      for (Sample right : samples) {
        if (one.holds(left) && other.holds(right) && left.isBeside(right)) {
          pair.see(left, right);
        }
      }
    }
  }

  private Double ratio(Side one, Side other, ToDoubleFunction<Sample> value) {
    List<Double> ratios = new ArrayList<>();
    pairs(
        one,
        other,
        (left, right) -> ratios.add(value.applyAsDouble(left) / value.applyAsDouble(right)));
    return ratios.isEmpty() ? null : Spread.of(ratios).median;
  }

  private Double median(Side side, ToDoubleFunction<Sample> value) {
    List<Sample> held = new ArrayList<>();
    samples.stream().filter(side::holds).forEach(held::add);
    return held.isEmpty() ? null : Spread.of(held, value).median;
  }

  private void atLeast(double limit, String name, Side ours, Side other) {
    atLeast(limit, name, ours, ratio(ours, other, sample -> sample.mibPerSecond));
  }

  private void atLeast(double limit, String name, Side ours, Double value) {
    add(
        name,
        value,
        String.format(Locale.ROOT, "at least %.2f", limit),
        ours,
        value != null && value >= limit);
  }

  private void atMost(double limit, String name, Side ours, Double value) {
    add(
        name,
        value,
        String.format(Locale.ROOT, "at most %.2f", limit),
        ours,
        value != null && value <= limit);
  }

  private void add(String name, Double value, String limit, Side ours, boolean kept) {
    boolean live =
        samples.stream().filter(ours::holds).allMatch(sample -> isOurStream(sample.stream));
    boolean judged = !rough && value != null && live;
    judgements.add(Judgement.of(name, value, limit, judged, kept));
  }
}
