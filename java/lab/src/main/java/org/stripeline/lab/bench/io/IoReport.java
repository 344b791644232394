// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.lab.bench.BenchMachine;
import org.stripeline.lab.bench.ClusterBenchReport;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.Spread;

/** The results of a run; field names are those of the JSON record. */
final class IoReport extends ClusterBenchReport {
  final String format = "stripeline-bench-io-1";
  final BenchMachine machine = new BenchMachine();
  String command;
  String hadoop;
  String java;
  String coder;

  /** Null on a cluster of the user. */
  Integer datanodes;

  long bytes;
  int repetitions;
  int jvms;

  /** Rate in Mbit/s of a link that all clients share; 0 if nothing limits them. */
  int clientMbit;

  /** Whether it is a cluster of the user, which the thresholds are not for. */
  boolean isExisting;

  /** Whether values are too rough to be judged. */
  boolean quick;

  /** Bytes that Hadoop's own reader compared; not timed. */
  long bytesVerified;

  /** Contestants and operations that were not measured, and the reasons. */
  final Map<String, String> leftOut = new LinkedHashMap<>();

  final List<String> notes = new ArrayList<>();

  /**
   * Whether our coder or one of our pipelines failed, or a pipeline of Hadoop was used for ours.
   */
  boolean oursFailed;

  final List<Sample> samples = new ArrayList<>();
  final List<Row> rows = new ArrayList<>();

  /** Reads of DataNodes for access patterns; empty if these were not counted. */
  final List<AccessCount> accesses = new ArrayList<>();

  /** All samples of one contestant in one operation. */
  static final class Row {
    int linkMbit;
    String policy;
    int threads;
    String operation;
    String contestant;
    int samples;
    Spread mibPerSecond;
    Spread seconds;
    Spread clientCpuSecondsPerGib;

    /** Null, as the total, on a cluster of the user. */
    Spread serverCpuSecondsPerGib;

    Spread totalCpuSecondsPerGib;

    /** Throughput relative to rs_java in the same repetition; null if rs_java was not measured. */
    Spread timesRsJava;

    /** Latency of random reads in microseconds; null for other operations. */
    Spread latencyMean;

    Spread latencyP50;
    Spread latencyP99;

    /** Class of the stream that was used. */
    String stream;
  }

  void describe(String hadoopVersion) {
    hadoop = hadoopVersion;
    java = System.getProperty("java.vm.name") + " " + System.getProperty("java.version");
    coder = CoderStatus.current().toString();
    machine.describe();
  }

  void leaveOut(String contestant, String reason) {
    leftOut.put(contestant, reason);
  }

  void fail(IoContestant contestant, String text) {
    failures.add(text);
    oursFailed |= contestant.isOurs();
  }

  @Override
  public void conclude() {
    for (Sample sample : samples) {
      if (rows.stream().noneMatch(row -> belongs(sample, row))) {
        rows.add(row(sample));
      }
    }
    // The thresholds for limited links are those of DataNodes.
    if (!isExisting && clientMbit == 0) {
      judgements.addAll(new Judge(samples, quick).judge());
    }
    judgements.addAll(Judge.judge(accesses));
    for (Row row : rows) {
      IoContestant contestant = IoContestant.parse(row.contestant);
      if (contestant.isOurPipeline() && !Judge.isOurStream(row.stream)) {
        String wrong =
            row.contestant
                + " used the stream "
                + row.stream
                + " for "
                + row.operation
                + ": that is Hadoop's own pipeline";
        if (!failures.contains(wrong)) {
          fail(contestant, wrong);
        }
      }
    }
  }

  private static boolean belongs(Sample sample, Row row) {
    return row.linkMbit == sample.linkMbit
        && row.policy.equals(sample.policy)
        && row.threads == sample.threads
        && row.operation.equals(sample.operation)
        && row.contestant.equals(sample.contestant);
  }

  private Row row(Sample first) {
    List<Sample> like = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (Sample sample : samples) {
      if (sample.isLike(first)) {
        like.add(sample);
        for (Sample other : samples) {
          if (other.isBeside(sample)
              && other.operation.equals(sample.operation)
              && other.contestant.equals(IoContestant.RS_JAVA.label())) {
            ratios.add(sample.mibPerSecond / other.mibPerSecond);
          }
        }
      }
    }
    Row row = new Row();
    row.linkMbit = first.linkMbit;
    row.policy = first.policy;
    row.threads = first.threads;
    row.operation = first.operation;
    row.contestant = first.contestant;
    row.stream = first.stream;
    row.samples = like.size();
    row.mibPerSecond = Spread.of(like, sample -> sample.mibPerSecond);
    row.seconds = Spread.of(like, sample -> sample.seconds);
    row.clientCpuSecondsPerGib = Spread.of(like, sample -> sample.clientCpuSecondsPerGib);
    if (first.serverCpuSecondsPerGib != null) {
      row.serverCpuSecondsPerGib = Spread.of(like, sample -> sample.serverCpuSecondsPerGib);
      row.totalCpuSecondsPerGib = Spread.of(like, Sample::totalCpuSecondsPerGib);
    }
    row.timesRsJava = ratios.isEmpty() ? null : Spread.of(ratios);
    if (first.latency != null) {
      row.latencyMean = Spread.of(like, sample -> sample.latency.mean);
      row.latencyP50 = Spread.of(like, sample -> sample.latency.p50);
      row.latencyP99 = Spread.of(like, sample -> sample.latency.p99);
    }
    return row;
  }

  @Override
  public boolean isEmpty() {
    return samples.isEmpty() && accesses.isEmpty();
  }

  @Override
  public boolean isSound(boolean strict) {
    return !oursFailed && !isMissed(strict);
  }

  @Override
  public String text() {
    return new IoTable(this).render();
  }

  @Override
  public Map<String, String> plots() {
    return rows.isEmpty()
        ? Collections.emptyMap()
        : Collections.singletonMap("io.svg", IoPlot.of(rows));
  }
}
