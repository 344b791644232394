// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.bench.RecordedBench;

/** Runs the whole command on a shaped network, if this user may create one. */
@Timeout(300)
@Tag("full")
class ShapedBenchTest {
  private static final int MBIT = 200;

  @TempDir Path directory;

  @Test
  void linksSlowCopiesDownToOneAndStripesToThree() throws Exception {
    IoReport report = measure("--shaped=" + MBIT);

    for (Sample sample : report.samples) {
      boolean isStriped = sample.contestant.equals("coder");
      assertAtMost(isStriped ? 3 : 1, sample);
    }
    assertThat(Files.readString(directory.resolve("record/io.svg"))).contains("<polyline");
  }

  @Test
  void oneLinkOfAllClientsSlowsStripesDownToo() throws Exception {
    IoReport report = measure("--shaped=" + 2 * MBIT, "--client-link=" + MBIT);

    assertThat(report.clientMbit).isEqualTo(MBIT);
    for (Sample sample : report.samples) {
      // The client also sends the two parity units of three data units.
      boolean sendsParity = sample.contestant.equals("coder") && sample.operation.equals("write");
      assertAtMost(sendsParity ? 0.6 : 1, sample);
    }
    assertThat(Files.readString(directory.resolve("record/io.txt")))
        .contains("all clients share a link of " + MBIT + " Mbit/s");
  }

  private IoReport measure(String... options) throws Exception {
    List<String> all = new ArrayList<>(Arrays.asList(options));
    all.addAll(
        Arrays.asList(
            "--policies=RS-3-2-64k", "--contestants=3-rep,coder", "--operations=write,read"));
    IoReport report =
        RecordedBench.run(directory, "io", IoReport.class, all.toArray(new String[0]));
    assertThat(report.samples).hasSize(4);
    assertThat(new ProcessBuilder("ip", "netns", "list").start().getInputStream().readAllBytes())
        .isEmpty();
    return report;
  }

  private static void assertAtMost(double links, Sample sample) {
    double link = MBIT * 1e6 / 8 / (1 << 20);
    // The first burst of each link exceeds its rate.
    assertThat(sample.mibPerSecond)
        .as("%s %s", sample.contestant, sample.operation)
        .isPositive()
        .isLessThan(1.1 * links * link);
  }
}
