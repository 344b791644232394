// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.bench.RecordedBench;

/** Runs the whole command in a network of its own, if this user may create one. */
@Timeout(300)
@Tag("full")
class ScrubBenchTest {
  @TempDir Path directory;

  @Test
  void scrubChecksEverythingAndLeavesTheNetworkAlone() throws Exception {
    ScrubBenchReport report = RecordedBench.run(directory, "scrub", ScrubBenchReport.class);

    assertThat(report.damageFound).isTrue();
    assertThat(report.ownNetwork).isTrue();
    assertThat(report.samples).extracting(s -> s.method).containsExactly("scrub", "verifyEC");
    assertThat(report.samples)
        .allSatisfy(
            sample -> {
              assertThat(sample.seconds).isPositive();
              assertThat(sample.clientCpuSecondsPerGib).isPositive();
              assertThat(sample.serverCpuSecondsPerGib).isPositive();
            });
    long data = report.files * report.fileBytes;
    assertThat(report.samples.get(0).networkBytes).isBetween(1L, data / 1000);
    assertThat(report.samples.get(1).networkBytes).as("verifyEC reads all").isGreaterThan(data);
    assertThat(report.timesFaster.median).isPositive();
    assertThat(Files.readString(directory.resolve("record/scrub.txt")))
        .contains("kept       bytes of scrub on the network", "not judged time of verifyEC");
  }
}
