// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.stripeline.lab.bench.BenchMachine;
import org.stripeline.lab.bench.ClusterBenchReport;
import org.stripeline.terminal.Spread;

/** The results of a run; field names are those of the JSON record. */
final class ConvertReport extends ClusterBenchReport {
  final String format = "stripeline-bench-convert-1";
  final BenchMachine machine = new BenchMachine();
  String command;
  String hadoop;
  String java;
  String coder;
  int datanodes;
  int racks;
  int replication;
  int linkMbit;
  int rackMbit;
  int files;
  int groupsPerFile;
  long blockBytes;
  int repetitions;
  int trafficMbit;
  double writesPerSecond;
  double writesBeforeSeconds;

  /** Whether values are too rough to be judged. */
  boolean quick;

  /** Bytes of converted files that were compared by Hadoop's own reader and coder. */
  long bytesVerified;

  /** Methods that were not measured, and the reasons. */
  final Map<String, String> leftOut = new LinkedHashMap<>();

  final List<ConvertSample> samples = new ArrayList<>();
  final List<Row> rows = new ArrayList<>();

  /** All samples of one method with one code. */
  static final class Row {
    String code;
    String method;
    int samples;
    Spread seconds;
    Spread jobSeconds;
    Spread mibPerSecond;
    Spread clientCpuSecondsPerGib;
    Spread serverCpuSecondsPerGib;
    Spread totalCpuSecondsPerGib;

    /** Throughput relative to the fastest stock copy of the same repetition; null without one. */
    Spread timesCopy;

    Spread blocksSent;
    Spread crossRackMib;

    /** What each pair of DataNodes really sent; null if nothing. */
    Spread trafficMbit;

    /** Times of writes before and during conversions; null without any. */
    Spread writeSecondsBefore;

    Spread writeSecondsDuring;
  }

  void describe(ConvertSettings settings) {
    datanodes = settings.datanodes;
    racks = settings.racks;
    replication = settings.replication;
    linkMbit = settings.linkMbit;
    rackMbit = settings.rackMbit;
    files = settings.files;
    groupsPerFile = settings.groups;
    blockBytes = settings.blockBytes;
    repetitions = settings.repetitions;
    trafficMbit = settings.trafficMbit;
    writesPerSecond = settings.writesPerSecond;
    writesBeforeSeconds = settings.writesBeforeSeconds;
    machine.describe();
  }

  @Override
  public void conclude() {
    ConvertJudge judge = new ConvertJudge(samples, linkMbit > 0, quick);
    for (ConvertSample sample : samples) {
      if (rows.stream()
          .noneMatch(r -> r.code.equals(sample.code) && r.method.equals(sample.method))) {
        rows.add(row(sample, judge));
      }
    }
    judgements.addAll(judge.judge());
  }

  private Row row(ConvertSample first, ConvertJudge judge) {
    List<ConvertSample> like = new ArrayList<>();
    for (ConvertSample sample : samples) {
      if (sample.isLike(first)) {
        like.add(sample);
      }
    }
    Row row = new Row();
    row.code = first.code;
    row.method = first.method;
    row.samples = like.size();
    row.seconds = Spread.of(like, s -> s.seconds);
    row.jobSeconds = first.jobSeconds > 0 ? Spread.of(like, s -> s.jobSeconds) : null;
    row.mibPerSecond = Spread.of(like, s -> s.mibPerSecond);
    row.clientCpuSecondsPerGib = Spread.of(like, s -> s.clientCpuSecondsPerGib);
    row.serverCpuSecondsPerGib = Spread.of(like, s -> s.serverCpuSecondsPerGib);
    row.totalCpuSecondsPerGib = Spread.of(like, ConvertSample::totalCpuSecondsPerGib);
    List<Double> ratios = judge.timesCopy(like);
    row.timesCopy = ratios.isEmpty() ? null : Spread.of(ratios);
    if (first.blocksSent != null) {
      row.blocksSent = Spread.of(like, s -> s.blocksSent);
      row.crossRackMib = Spread.of(like, s -> s.crossRackBytes / (double) (1 << 20));
    }
    row.trafficMbit = first.trafficMbit == null ? null : Spread.of(like, s -> s.trafficMbit);
    row.writeSecondsBefore = all(like, s -> s.writeSecondsBefore);
    row.writeSecondsDuring = all(like, s -> s.writeSecondsDuring);
    return row;
  }

  private static Spread all(
      List<ConvertSample> samples, Function<ConvertSample, List<Double>> values) {
    List<Double> all = new ArrayList<>();
    for (ConvertSample sample : samples) {
      if (values.apply(sample) != null) {
        all.addAll(values.apply(sample));
      }
    }
    return all.isEmpty() ? null : Spread.of(all);
  }

  @Override
  public boolean isEmpty() {
    return samples.isEmpty();
  }

  @Override
  public String text() {
    return new ConvertTable(this).render();
  }
}
