// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.rails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

class TuneCommandTest {
  @TempDir Path temporary;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void writesATableAndPrintsTheRateOfEachRail() throws Exception {
    assumeTrue(CoderStatus.current().isNative(), "the native library is built");
    Path table = temporary.resolve("table.toml");
    int status = run("--file=" + table, "--rails=cpu,plugin:/no/such.so", "--seconds=2", "--json");

    assertThat(status).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    RailReport report = new Gson().fromJson(out.toString(), RailReport.class);
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
    assertThat(out.toString()).contains("/no/such.so").doesNotContain("written");
    assertThat(err.toString()).contains("Cannot write " + table + ": no rail was measured");
    assertThat(table).doesNotExist();
  }

  @Test
  void refusesAFileThatIsNotATable() throws Exception {
    assumeTrue(CoderStatus.current().isNative(), "the native library is built");
    Path table = temporary.resolve("notes.txt");
    Files.writeString(table, "milk, bread\n");

    assertThat(run("--file=" + table, "--rails=cpu", "--seconds=0.1"))
        .isEqualTo(ExitStatus.UNCHECKED);
    assertThat(err.toString()).contains(table.toString());
    assertThat(Files.readString(table)).isEqualTo("milk, bread\n");
  }

  @Test
  void refusesInvalidTimes() {
    assertThat(run("--seconds=0")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("--seconds is 0.0");
  }

  @Test
  void refusesUnknownRailsAndWritesNoTable() {
    Path table = temporary.resolve("table.toml");
    assertThat(run("--file=" + table, "--rails=cpu,gpu")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString())
        .contains("Cannot measure rail 'gpu': known are cpu,isal,cuda,plugin:PATH");
    assertThat(table).doesNotExist();
  }

  private int run(String... options) {
    CommandLine line = Stripeline.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    String[] arguments = new String[options.length + 1];
    arguments[0] = "tune";
    System.arraycopy(options, 0, arguments, 1, options.length);
    return line.execute(arguments);
  }
}
