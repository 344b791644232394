// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.lab.LabMain;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Leftovers;

/** Ends the demo by each of two signals in each of its acts, most of them in conformance only. */
@Tag("full")
@Timeout(400)
class DemoKilledTest {
  /** What the demo prints when the act with this number, from 1, begins. */
  private static final String[] BEGINNINGS = {
    "start HDFS.* s", "1 flip a bit.* s", "2 write and read[^%]* s", "4 write by ours.* s"
  };

  @TempDir Path temporary;

  private final List<String> said = new ArrayList<>();
  private Process demo;

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  @Tag("conformance")
  void interruptedDemoRemovesItsFilesInOtherActs(int act) throws Exception {
    interruptedDemoRemovesItsFilesAndProcesses(act);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void interruptedDemoRemovesItsFilesAndProcesses(int act) throws Exception {
    Files.write(temporary.resolve("precious"), new byte[] {1});
    signalIn(act, "INT");

    assertThat(demo.waitFor()).as("%s", said).isEqualTo(DemoRunner.INTERRUPTED);
    Leftovers.await(temporary);
    assertThat(temporary.toFile().list()).containsExactly("precious");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4})
  @Tag("conformance")
  void killedDemoLeavesOnlyItsDirectoryInOtherActs(int act) throws Exception {
    killedDemoLeavesOnlyItsDirectory(act);
  }

  @ParameterizedTest
  @ValueSource(ints = 2)
  void killedDemoLeavesOnlyItsDirectory(int act) throws Exception {
    Path foreign = Files.write(temporary.resolve("precious"), new byte[] {1});
    signalIn(act, "KILL");

    assertThat(demo.waitFor()).as("%s", said).isEqualTo(128 + 9);
    Leftovers.await(temporary);
    assertThat(temporary.toFile().list()).containsExactlyInAnyOrder("precious", "work");
    assertThat(foreign).hasBinaryContent(new byte[] {1});
    // The files may be wanted for a diagnosis: the next demo neither uses nor deletes them.
    start();
    assertThat(demo.waitFor()).isEqualTo(ExitStatus.USAGE);
    assertThat(String.join("\n", readAll())).contains("it is not empty");
    assertThat(temporary.resolve("work/cluster")).isDirectory();
  }

  @AfterEach
  void endDemo() throws Exception {
    demo.destroyForcibly().waitFor();
    Leftovers.await(temporary);
  }

  private void signalIn(int act, String signal) throws Exception {
    start();
    Pattern beginning = Pattern.compile("\\[ *[\\d.]+s\\] " + BEGINNINGS[act - 1] + " *");
    BufferedReader lines = reader();
    String line = lines.readLine();
    while (line != null && !beginning.matcher(line).matches()) {
      said.add(line);
      line = lines.readLine();
    }
    assertThat(line).as("%s", said).isNotNull();
    new ProcessBuilder("kill", "-" + signal, Long.toString(demo.pid())).start().waitFor();
    said.addAll(readAll());
  }

  /** The directory of the demo and its page lie in the temporary one. */
  private void start() throws IOException {
    List<String> options = new ArrayList<>();
    if (!CoderStatus.current().isNative()) {
      options.add("-Dstripeline.native.enabled=false");
    }
    ProcessBuilder builder =
        ChildJvm.of(
            Collections.emptyList(),
            options,
            LabMain.class,
            Arrays.asList(
                "demo",
                "--quick",
                "--size=8MiB",
                "--policy=RS-3-2-1024k",
                "--dir=" + temporary.resolve("work"),
                "--html=" + temporary.resolve("demo.html")));
    // Background processes of a shell ignore SIGINT, and so would their children.
    List<String> line = new ArrayList<>(Arrays.asList("env", "--default-signal=INT"));
    line.addAll(builder.command());
    demo = builder.command(line).redirectErrorStream(true).start();
  }

  private BufferedReader reader() {
    return demo.inputReader(StandardCharsets.UTF_8);
  }

  private List<String> readAll() throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader reader = reader();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      lines.add(line);
    }
    return lines;
  }
}
