// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Runs all contestants in turn, round after round, each time in a separate JVM. */
final class JavaBench {
  private static final String[] OPERATIONS = {"encode", "decode"};

  private final int rounds;
  private final double seconds;
  private final int chunkKib;
  private final int threads;
  private final PrintWriter progress;

  JavaBench(int rounds, double seconds, int chunkKib, int threads, PrintWriter progress) {
    this.rounds = rounds;
    this.seconds = seconds;
    this.chunkKib = chunkKib;
    this.threads = threads;
    this.progress = progress;
  }

  JavaBenchReport run() throws IOException, InterruptedException {
    JavaBenchReport report = new JavaBenchReport(rounds, seconds, chunkKib, threads);
    List<BenchCoder> contestants = new ArrayList<>();
    for (BenchCoder contestant : BenchCoder.values()) {
      if (contestant.absence() == null) {
        contestants.add(contestant);
      } else {
        report.leaveOut(contestant);
      }
    }
    for (int round = 0; round < rounds; round++) {
      for (String operation : OPERATIONS) {
        for (BenchCoder contestant : contestants) {
          progress.println(
              "round "
                  + (round + 1)
                  + " of "
                  + rounds
                  + ": "
                  + operation
                  + " "
                  + contestant.label());
          progress.flush();
          report.addThroughput(contestant, operation, throughput(contestant, operation));
        }
      }
      progress.println("round " + (round + 1) + " of " + rounds + ": cost of a call");
      progress.flush();
      report.addCallCosts(callCosts());
    }
    report.judge();
    return report;
  }

  /** Returns the throughput in 10^9 data bytes per second. */
  private double throughput(BenchCoder contestant, String operation)
      throws IOException, InterruptedException {
    List<String> lines =
        BenchmarkJvm.run(
            HadoopBenchmarkRun.class,
            contestant.jvmArguments(),
            contestant.name(),
            operation,
            String.valueOf(threads),
            String.valueOf(seconds),
            String.valueOf(chunkKib));
    return Double.parseDouble(lines.get(lines.size() - 1)) * (1 << 20) / 1e9;
  }

  private List<String> callCosts() throws IOException, InterruptedException {
    long windowMillis = Math.max(1, Math.round(seconds * 10));
    return BenchmarkJvm.run(
        CallCostRun.class, Collections.<String>emptyList(), String.valueOf(windowMillis));
  }
}
