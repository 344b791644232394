// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

/** Runs the whole command with limited rack links, if this user may create them. */
@Timeout(300)
@Tag("full")
class ConvertBenchTest {
  @TempDir Path directory;

  @Test
  void adoptsAndCopiesBehindLinksOfRacks() throws Exception {
    String obstacle = PrivateNetwork.obstacle();
    assumeTrue(obstacle == null, obstacle);
    Path work = directory.resolve("work");
    Path record = directory.resolve("record");

    int status =
        PrivateNetwork.run(
            LabMain.class,
            Arrays.asList(
                "bench",
                "convert",
                "--quick",
                "--codes=RS-3-3",
                "--methods=adopt,adopt-ear,hdfs-raid,hdfs-raid-ear,cp",
                "--datanodes=6",
                "--racks=3",
                "--shaped=400",
                "--traffic=10",
                "--writes=3",
                "--writes-before=1",
                "--dir=" + work,
                "--record=" + record));

    assertThat(status).isEqualTo(ExitStatus.SOUND);
    ConvertReport report =
        new Gson().fromJson(Files.readString(record.resolve("convert.json")), ConvertReport.class);
    assertThat(report.failures).isEmpty();
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
    assertThat(Files.readString(record.resolve("convert.txt")))
        .contains("100 between racks", "3.00 writes of a block per second");
    assertThat(work).doesNotExist();
  }

  @Test
  void parityThatWasNotComputedIsFound() {
    assertThat(failure("wrong-parity")).contains("wrong parity", "verifyEC");
  }

  /** Before anything is measured. */
  @Test
  void aFirstConversionThatFailsIsAFailure() throws Exception {
    CompletableFuture<Void> killed = CompletableFuture.runAsync(ConvertBenchTest::killConversion);
    assertThat(failure("adopt")).contains("FAILED RS-3-3 adopt failed", "ended without a result");
    killed.get();
  }

  private static void killConversion() {
    while (ProcessHandle.current()
        .descendants()
        .filter(one -> one.info().commandLine().orElse("").contains(MethodMain.class.getName()))
        .noneMatch(ProcessHandle::destroyForcibly)) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Returns what a run prints that has to fail. */
  private static String failure(String method) {
    StringWriter said = new StringWriter();
    CommandLine line = LabMain.commandLine();
    line.setErr(new PrintWriter(said));
    line.setOut(new PrintWriter(said));
    String[] arguments = {
      "bench",
      "convert",
      "--quick",
      "--codes=RS-3-3",
      "--methods=" + method,
      "--datanodes=6",
      "--racks=3"
    };
    assertThat(line.execute(arguments)).as("%s", said).isEqualTo(ExitStatus.FAILED);
    return said.toString();
  }
}
