// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.rails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.CommandRun;

class TuneCommandTest {
  @TempDir Path temporary;

  /** The command that was run last. */
  private CommandRun last;

  @Test
  void writesATableAndPrintsTheRateOfEachRail() throws Exception {
    assumeTrue(CoderStatus.current().isNative(), "the native library is built");
    Path table = temporary.resolve("table.toml");
    int status = run("--file=" + table, "--rails=cpu,plugin:/no/such.so", "--seconds=2", "--json");

    assertThat(status).as(last.err()).isEqualTo(ExitStatus.SOUND);
    RailReport report = new Gson().fromJson(last.out(), RailReport.class);
    assertThat(report.rails).extracting(rail -> rail.in).containsExactly(true, false);
    assertThat(report.rails.get(0).bytesPerSecond).isGreaterThan(1_000_000L);
    assertThat(report.rails.get(0).lanes).isPositive();
    assertThat(report.rails.get(1).reason).contains("/no/such.so");
    assertThat(Files.readString(table)).contains("[[machine]]").contains("name = \"cpu\"");
  }

  @Test
  void writesNoTableIfNoRailWasMeasured() {
    assumeTrue(CoderStatus.current().isNative(), "the native library is built");
    Path table = temporary.resolve("table.toml");
    assertThat(run("--file=" + table, "--rails=plugin:/no/such.so", "--seconds=0.001"))
        .isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.out()).contains("/no/such.so").doesNotContain("written");
    assertThat(last.err()).contains("Cannot write " + table + ": no rail was measured");
    assertThat(table).doesNotExist();
  }

  @Test
  void refusesAFileThatIsNotATable() throws Exception {
    assumeTrue(CoderStatus.current().isNative(), "the native library is built");
    Path table = temporary.resolve("notes.txt");
    Files.writeString(table, "milk, bread\n");

    assertThat(run("--file=" + table, "--rails=cpu", "--seconds=0.1"))
        .isEqualTo(ExitStatus.UNCHECKED);
    assertThat(last.err()).contains(table.toString());
    assertThat(Files.readString(table)).isEqualTo("milk, bread\n");
  }

  @Test
  void refusesInvalidTimes() {
    assertThat(run("--seconds=0")).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err()).contains("--seconds is 0.0");
  }

  @Test
  void refusesUnknownRailsAndWritesNoTable() {
    Path table = temporary.resolve("table.toml");
    assertThat(run("--file=" + table, "--rails=cpu,gpu")).isEqualTo(ExitStatus.USAGE);
    assertThat(last.err())
        .contains("Cannot measure rail 'gpu': known are cpu,isal,cuda,plugin:PATH");
    assertThat(table).doesNotExist();
  }

  private int run(String... options) {
    List<String> words = new ArrayList<>(List.of("tune"));
    words.addAll(List.of(options));
    last = CommandRun.of(Stripeline.commandLine(), words);
    return last.status();
  }
}
