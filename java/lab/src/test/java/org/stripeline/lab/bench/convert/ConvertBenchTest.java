// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.RecordedBench;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Conditions;
import org.stripeline.testkit.Leftovers;

/** Runs the whole command with limited rack links, if this user may create them. */
@Timeout(300)
@Tag("full")
class ConvertBenchTest {
  @TempDir Path directory;

  @Test
  void adoptsAndCopiesBehindLinksOfRacks() throws Exception {
    ConvertReport report =
        RecordedBench.run(
            directory,
            "convert",
            ConvertReport.class,
            "--codes=RS-3-3",
            "--methods=adopt,adopt-ear,hdfs-raid,hdfs-raid-ear,cp",
            "--datanodes=6",
            "--racks=3",
            "--shaped=400",
            "--traffic=10",
            "--writes=3",
            "--writes-before=1");

    assertThat(report.leftOut).isEmpty();
    assertThat(report.rackMbit).isEqualTo(100);
    assertThat(report.samples)
        .extracting(s -> s.method)
        .containsExactly("adopt", "adopt-ear", "hdfs-raid", "hdfs-raid-ear", "cp");
    assertThat(report.samples).allSatisfy(sample -> assertThat(sample.mibPerSecond).isPositive());
    // Two files of three blocks of 1 MiB, with each of five methods, and what was written beside.
    int writes = 0;
    for (ConvertSample sample : report.samples) {
      assertThat(sample.trafficMbit).isBetween(5.0, 12.0);
      assertThat(sample.writeSecondsBefore).isNotEmpty();
      assertThat(sample.writeSecondsDuring).isNotEmpty().allMatch(seconds -> seconds > 0);
      int before = sample.writeSecondsBefore.size();
      assertThat(sample.writeBegins).isSorted().hasSize(before + sample.writeSecondsDuring.size());
      assertThat(sample.writeBegins.subList(0, before)).allMatch(begin -> begin <= 0);
      assertThat(sample.writeBegins.get(before)).isPositive();
      writes += sample.writeSecondsBefore.size() + sample.writeSecondsDuring.size();
    }
    assertThat(report.bytesVerified).isEqualTo(5 * 2 * 3 + (long) writes << 20);
    assertThat(report.rows.get(0).writeSecondsDuring.median).isPositive();
    ConvertSample ear = report.samples.get(1);
    assertThat(ear.blocksSent).as("blocks that placement had to send").isZero();
    // Data is read in the core rack; only four of the six parity blocks may leave it.
    assertThat(ear.crossRackBytes).as("bytes across racks").isBetween(0L, 4L << 20);
    ConvertSample raid = report.samples.get(2);
    assertThat(raid.jobSeconds).isPositive().isLessThan(raid.seconds);
    // Of six data and six parity blocks; the parity of a stripe does not fit into one rack.
    assertThat(raid.crossRackBytes).isBetween(2L << 20, 12L << 20);
    assertThat(raid.blocksSent).isBetween(0L, 6L);
    ConvertSample raidEar = report.samples.get(3);
    assertThat(raidEar.jobSeconds).isPositive().isLessThan(raidEar.seconds);
    assertThat(raidEar.crossRackBytes).as("parity alone").isBetween(2L << 20, 6L << 20);
    assertThat(Files.readString(directory.resolve("record/convert.txt")))
        .contains("100 between racks", "3.00 writes of a block per second");
  }

  @Test
  void parityThatWasNotComputedIsFound() {
    assertThat(failure("wrong-parity")).contains("wrong parity", "verifyEC");
  }

  /** Before anything is measured. */
  @Test
  void aFirstConversionThatFailsIsAFailure() throws Exception {
    CompletableFuture<Void> killed =
        CompletableFuture.runAsync(
            () -> Conditions.await("a conversion", () -> Leftovers.kill(MethodMain.class) > 0));
    assertThat(failure("adopt")).contains("FAILED RS-3-3 adopt failed", "ended without a result");
    killed.get();
  }

  /** Returns what a run prints that has to fail. */
  private static String failure(String method) {
    String[] arguments = {
      "bench",
      "convert",
      "--quick",
      "--codes=RS-3-3",
      "--methods=" + method,
      "--datanodes=6",
      "--racks=3"
    };
    return CommandRun.of(LabMain.commandLine(), arguments).require(ExitStatus.FAILED).said();
  }
}
