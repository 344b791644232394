// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;

class SimulateCommandTest {
  private static final String SCENARIO =
      "{\"title\": \"Small\", \"about\": \"A test.\", \"base\": \"dsn2015\", \"seeds\": 1,"
          + " \"policies\": [\"rr\", \"ear\"], \"tolerance_points\": TOLERANCE,"
          + " \"variants\": [{\"label\": \"one\", \"set\": {\"stripes\": 20},"
          + " \"paper\": {\"ear\": {\"encode_gain_percent\": 70}}}]}";

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... options) {
    CommandLine line = Stripeline.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    String[] arguments = new String[options.length + 1];
    arguments[0] = "simulate";
    System.arraycopy(options, 0, arguments, 1, options.length);
    return line.execute(arguments);
  }

  private String scenario(int tolerance) throws IOException {
    Path file = directory.resolve("small.json");
    String text = SCENARIO.replace("TOLERANCE", String.valueOf(tolerance));
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    return file.toString();
  }

  @Test
  void listsBuiltInScenarios() {
    assertThat(run("--list")).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("a1-code", "simulation", "scale", "1,000 racks");
  }

  @Test
  void simulatesAFileAndWritesTheResults() throws IOException {
    Path svg = directory.resolve("found.svg");
    int status = run(scenario(200), "--seed=9", "--svg=" + svg);

    assertThat(status).as(err.toString()).isEqualTo(ExitStatus.SOUND);
    assertThat(out.toString()).contains("Small", "seed 9, 1 run each", "within 200");
    assertThat(new String(Files.readAllBytes(svg), StandardCharsets.UTF_8)).contains("<svg");
  }

  @Test
  void printsOneObjectAsJson() throws IOException {
    assertThat(run(scenario(200), "--seed=9", "--json")).isEqualTo(ExitStatus.SOUND);
    JsonArray reports =
        JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("reports");
    assertThat(reports.get(0).getAsJsonObject().get("seed").getAsLong()).isEqualTo(9);
  }

  @Test
  void theSameSeedGivesTheSameOutput() throws IOException {
    String file = scenario(200);
    run(file, "--seed=3");
    String first = out.toString();
    out.getBuffer().setLength(0);
    run(file, "--seed=3");
    assertThat(out.toString()).isEqualTo(first);
    out.getBuffer().setLength(0);
    run(file, "--seed=4");
    assertThat(out.toString()).isNotEqualTo(first);
  }

  @Test
  void failsWhereAFigureIsFartherFromThePaperThanAllowed() throws IOException {
    assertThat(run(scenario(0))).isEqualTo(ExitStatus.FAILED);
    assertThat(err.toString()).contains("outside their scenario's tolerance of the paper: 1");
  }

  @Test
  void refusesInvalidScenarios() throws IOException {
    assertThat(run()).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("name a scenario, or see --list");
    assertThat(run("nonesuch")).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("neither a file nor one of");
    Path bad = directory.resolve("bad.json");
    Files.write(bad, "{\"title\": 1}".getBytes(StandardCharsets.UTF_8));
    assertThat(run(bad.toString())).isEqualTo(ExitStatus.USAGE);
    assertThat(run(directory.toString())).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(run(scenario(200), "--svg=" + directory)).isEqualTo(ExitStatus.USAGE);
    assertThat(err.toString()).contains("Cannot write --svg=" + directory);
    assertThat(out.toString()).as("nothing is simulated").isEmpty();
  }
}
