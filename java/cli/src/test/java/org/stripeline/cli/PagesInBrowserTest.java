// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.PageBrowser;

/** Opens the pages of {@code plan} and {@code simulate} in a browser. */
@Tag("full")
@Timeout(180)
class PagesInBrowserTest {
  @TempDir Path directory;

  @BeforeEach
  void findBrowser() {
    assumeTrue(PageBrowser.isThere(), "no Chromium");
  }

  private void run(String... arguments) {
    CommandRun.of(Stripeline.commandLine(), arguments).require(0);
  }

  @Test
  void thePageOfASimulationIsDrawn() {
    Path page = directory.resolve("simulation.html");
    run("simulate", "a1-code", "--html=" + page);
    assertThat(PageBrowser.faults(page, directory)).isEmpty();
    assertThat(page).content().contains("<svg", "<table");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 20})
  void thePageOfAPlanIsDrawn(int directories) throws Exception {
    StringBuilder image =
        new StringBuilder(
            "Path\tReplication\tModificationTime\tAccessTime\tPreferredBlockSize\tBlocksCount\t"
                + "FileSize\tNSQUOTA\tDSQUOTA\tPermission\tUserName\tGroupName\n");
    for (int i = 0; i < directories; i++) {
      image
          .append(
              "/data/a-directory-with-a-very-long-name-that-does-not-fit-into-a-plot-of-a-page-"
                  + i
                  + "/file")
          .append("\t3\t2026-01-01 00:00\t-\t134217728\t6\t805306368\t0\t0\t-rw-r--r--\tu\tg\n");
    }
    Path list = Files.writeString(directory.resolve("image.txt"), image);
    Path page = directory.resolve("plan.html");
    run("plan", "/data", "--image=" + list, "--html=" + page);
    assertThat(PageBrowser.faults(page, directory)).isEmpty();
    assertThat(page).content().contains("<svg", "<table");
  }
}
