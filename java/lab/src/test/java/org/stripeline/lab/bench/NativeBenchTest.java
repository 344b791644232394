// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.lab.LabMain;
import org.stripeline.testkit.CommandRun;

class NativeBenchTest {
  private static final String HOME_KEY = "stripeline.home";

  private final String homeBefore = System.getProperty(HOME_KEY);

  @TempDir private Path home;

  @AfterEach
  void restoreHome() {
    if (homeBefore == null) {
      System.clearProperty(HOME_KEY);
    } else {
      System.setProperty(HOME_KEY, homeBefore);
    }
  }

  @ParameterizedTest
  @CsvSource({"codec, stripeline-bench", "engine, stripeline-bench-engine"})
  void argumentsGoInAndTheExitStatusComesOut(String command, String program) throws IOException {
    System.setProperty(HOME_KEY, home.toString());
    Path seen = home.resolve("seen");
    Path path = Files.createDirectories(home.resolve("build/bench")).resolve(program);
    String script = "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + seen + "'\nexit 3\n";
    Files.write(path, script.getBytes());
    assertThat(path.toFile().setExecutable(true)).isTrue();

    int status = LabMain.commandLine().execute("bench", command, "--quick", "--record=a b");

    assertThat(status).isEqualTo(3);
    assertThat(Files.readAllLines(seen)).containsExactly("--quick", "--record=a b");
  }

  @Test
  void aProgramThatIsNotBuiltIsNamed() {
    System.setProperty(HOME_KEY, home.toString());
    CommandRun run = CommandRun.of(LabMain.commandLine(), "bench", "engine");
    assertThat(run.require(3).err().trim())
        .isEqualTo(
            "stripeline: Cannot run the bench: "
                + home.resolve("build/bench/stripeline-bench-engine")
                + " is missing; build it with 'make bench'");
  }
}
