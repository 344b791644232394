// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import static org.stripeline.lab.bench.BenchText.number;

import java.util.ArrayList;
import java.util.List;
import org.stripeline.lab.bench.BenchMachine;
import org.stripeline.lab.bench.BenchText;
import org.stripeline.lab.bench.ClusterBenchReport;
import org.stripeline.lab.bench.Judgement;
import org.stripeline.terminal.Spread;
import org.stripeline.terminal.TextTable;

/** The results of a run; field names are those of the JSON record. */
final class ScrubBenchReport extends ClusterBenchReport {
  /** What scrub is to achieve: its speed relative to verifyEC, and its share of the network. */
  private static final double TIMES_FASTER_MIN = 5;

  private static final double NETWORK_PERCENT_MAX = 0.1;

  final String format = "stripeline-bench-scrub-1";
  final BenchMachine machine = new BenchMachine();
  String command;
  String hadoop;
  String java;
  String coder;
  String policy;
  int datanodes;
  int files;
  long fileBytes;
  int repetitions;

  /** Whether times are too rough to be judged. */
  boolean quick;

  /** Whether the run had a network of its own, so that no other traffic was counted. */
  boolean ownNetwork;

  /** Whether scrub found the block that was damaged after all timed runs. */
  boolean damageFound;

  /** Time of verifyEC divided by that of scrub in the same repetition. */
  Spread timesFaster;

  final List<ScrubSample> samples = new ArrayList<>();
  final List<Row> rows = new ArrayList<>();

  /** All samples of one method. */
  static final class Row {
    String method;
    int samples;
    Spread seconds;
    Spread clientCpuSecondsPerGib;
    Spread serverCpuSecondsPerGib;
    Spread totalCpuSecondsPerGib;
    Spread networkBytes;

    /** Bytes on the network in percent of the data. */
    Spread networkPercent;
  }

  void describe(ScrubSettings settings) {
    policy = settings.policy.getName();
    datanodes = settings.datanodes;
    files = settings.files;
    fileBytes = settings.fileBytes;
    repetitions = settings.repetitions;
    quick = settings.quick;
    ownNetwork = settings.ownNetwork;
    machine.describe();
  }

  @Override
  public void conclude() {
    for (ScrubMethod method : ScrubMethod.values()) {
      List<ScrubSample> like = samples(method);
      if (!like.isEmpty()) {
        rows.add(row(method, like));
      }
    }
    List<Double> ratios = new ArrayList<>();
    for (ScrubSample scrub : samples(ScrubMethod.SCRUB)) {
      for (ScrubSample verify : samples(ScrubMethod.VERIFY_EC)) {
        if (scrub.repetition == verify.repetition) {
          ratios.add(verify.seconds / scrub.seconds);
        }
      }
    }
    if (ratios.isEmpty()) {
      return;
    }
    timesFaster = Spread.of(ratios);
    double faster = timesFaster.median;
    judgements.add(
        Judgement.of(
            "time of verifyEC divided by that of scrub",
            faster,
            number(">= %.1f", TIMES_FASTER_MIN),
            !quick,
            faster >= TIMES_FASTER_MIN));
    double percent = rows.get(0).networkPercent.median;
    judgements.add(
        Judgement.of(
            "bytes of scrub on the network in percent of the data",
            percent,
            number("<= %.1f", NETWORK_PERCENT_MAX),
            ownNetwork,
            percent <= NETWORK_PERCENT_MAX));
  }

  private List<ScrubSample> samples(ScrubMethod method) {
    List<ScrubSample> found = new ArrayList<>();
    for (ScrubSample sample : samples) {
      if (sample.method.equals(method.label())) {
        found.add(sample);
      }
    }
    return found;
  }

  private Row row(ScrubMethod method, List<ScrubSample> like) {
    double data = (double) files * fileBytes;
    Row row = new Row();
    row.method = method.label();
    row.samples = like.size();
    row.seconds = Spread.of(like, s -> s.seconds);
    row.clientCpuSecondsPerGib = Spread.of(like, s -> s.clientCpuSecondsPerGib);
    row.serverCpuSecondsPerGib = Spread.of(like, s -> s.serverCpuSecondsPerGib);
    row.totalCpuSecondsPerGib = Spread.of(like, ScrubSample::totalCpuSecondsPerGib);
    row.networkBytes = Spread.of(like, s -> s.networkBytes);
    row.networkPercent = Spread.of(like, s -> 100 * s.networkBytes / data);
    return row;
  }

  @Override
  public boolean isEmpty() {
    return samples.isEmpty();
  }

  @Override
  public String text() {
    BenchText text = new BenchText();
    text.machine(hadoop, java, machine, coder);
    text.line(
        "%d files of %d MiB, %s, %d DataNodes in one process with the NameNode; %d repetitions;"
            + " medians, +- half the range of the quartiles; CPU in seconds per GiB of data",
        files, fileBytes >> 20, policy, datanodes, repetitions);
    text.line(
        "Bytes on the network: those of the loopback interface, with headers and heartbeats%s",
        ownNetwork ? "" : " and everything else that runs on this machine");
    TextTable table =
        new TextTable(
            "method",
            "seconds",
            "+-",
            "client",
            "servers",
            "total CPU",
            "network MiB",
            "% of data",
            "n");
    for (Row row : rows) {
      table.row(
          row.method,
          number("%.2f", row.seconds.median),
          number("%.2f", row.seconds.halfRange()),
          number("%.2f", row.clientCpuSecondsPerGib.median),
          number("%.2f", row.serverCpuSecondsPerGib.median),
          number("%.2f", row.totalCpuSecondsPerGib.median),
          number("%.2f", row.networkBytes.median / (1 << 20)),
          number("%.3f", row.networkPercent.median),
          String.valueOf(row.samples));
    }
    text.line("%n%s", table.render());
    text.judged(failures, judgements);
    text.line(
        damageFound
            ? "a block with wrong data and valid checksums was found"
            : "a block with wrong data and valid checksums was not found, or not sought");
    return text.toString();
  }
}
