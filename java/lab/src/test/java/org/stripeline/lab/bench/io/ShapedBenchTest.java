// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.terminal.ExitStatus;

/** Runs the whole command on a shaped network, if this user may create one. */
@Timeout(300)
@Tag("full")
class ShapedBenchTest {
  private static final int MBIT = 200;

  @TempDir Path directory;

  @Test
  void linksSlowCopiesDownToOneAndStripesToThree() throws Exception {
    String obstacle = PrivateNetwork.obstacle();
    assumeTrue(obstacle == null, obstacle);
    Path work = directory.resolve("work");
    Path record = directory.resolve("record");

    int status =
        PrivateNetwork.run(
            LabMain.class,
            Arrays.asList(
                "bench",
                "io",
                "--quick",
                "--shaped=" + MBIT,
                "--policies=RS-3-2-64k",
                "--contestants=3-rep,coder",
                "--operations=write,read",
                "--dir=" + work,
                "--record=" + record));

    assertThat(status).isEqualTo(ExitStatus.SOUND);
    IoReport report =
        new Gson().fromJson(Files.readString(record.resolve("io.json")), IoReport.class);
    assertThat(report.failures).isEmpty();
    assertThat(report.samples).hasSize(4);
    double link = MBIT * 1e6 / 8 / (1 << 20);
    for (Sample sample : report.samples) {
      double links = sample.contestant.equals("coder") ? 3 : 1;
      // The first burst of each link exceeds its rate.
      assertThat(sample.mibPerSecond)
          .as("%s %s", sample.contestant, sample.operation)
          .isPositive()
          .isLessThan(1.1 * links * link);
    }
    assertThat(Files.readString(record.resolve("io.svg"))).contains("<polyline");
    assertThat(work).doesNotExist();
    assertThat(new ProcessBuilder("ip", "netns", "list").start().getInputStream().readAllBytes())
        .isEmpty();
  }
}
