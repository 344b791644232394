// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.testkit.ForkedJvm;
import org.stripeline.testkit.Leftovers;

/** An evaluation in a process of its own. */
abstract class EvaluateCase {
  @TempDir Path temporary;
  Process process;

  /** Starts a command. */
  final void start(String... arguments) throws IOException {
    process =
        ForkedJvm.of(Stripeline.class, arguments)
            .with("-Xmx1g", "-Djava.io.tmpdir=" + temporary)
            // The checkout, whose test classes have the coder that computes nothing.
            .with("-Dstripeline.home=" + Path.of("../..").toAbsolutePath().normalize())
            .builder()
            .inheritIO()
            .start();
  }

  /** Kills the evaluation when the cluster of a measurement is starting or running. */
  final void killDuring(String measurement, Path directory) throws Exception {
    Path log = directory.resolve("log/" + measurement + ".txt");
    while (!Files.exists(log) || Files.size(log) == 0) {
      assertThat(process.isAlive()).isTrue();
      Thread.sleep(50);
    }
    kill();
    assertThat(temporary.toFile().list()).containsExactly("evaluation");
  }

  /** Kills the command; its measurement and their cluster notice that, and stop. */
  @AfterEach
  final void kill() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
    Leftovers.await(temporary);
  }

  static JsonArray sections(Path directory) throws IOException {
    return JsonParser.parseString(Files.readString(directory.resolve("report.json")))
        .getAsJsonObject()
        .getAsJsonArray("sections");
  }
}
