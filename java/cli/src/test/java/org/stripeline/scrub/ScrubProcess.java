// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.HadoopProcess;

/** {@code stripeline scrub} or {@code repair} in a process of its own, with JSON output. */
final class ScrubProcess {
  private static final long LIMIT_MINUTES = 4;

  private final Process process;
  private final Path log;

  private ScrubProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  static ScrubProcess begin(Configuration conf, Path directory, String... words)
      throws IOException {
    Process process = HadoopProcess.launch(Stripeline.class, conf, directory, words);
    return new ScrubProcess(process, directory.resolve(HadoopProcess.LOG));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGKILL, and waits for the end. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void signal(String name) throws Exception {
    HadoopProcess.signal(process, name);
  }

  void await() throws Exception {
    if (!process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError("does not end: " + this);
    }
  }

  int status() {
    return process.exitValue();
  }

  /** Returns the groups with findings that it has printed so far. */
  List<JsonObject> groups() throws IOException {
    return ScrubReport.groups(lines());
  }

  /** Returns the states of all repairs. */
  List<String> states() throws IOException {
    List<String> states = new ArrayList<>();
    for (JsonObject group : groups()) {
      if (group.has("repair")) {
        states.add(group.getAsJsonObject("repair").get("state").getAsString());
      }
    }
    return states;
  }

  /** Returns one of the sums at its end. */
  long sum(String name) throws IOException {
    return ScrubReport.sum(lines(), name);
  }

  private List<JsonObject> lines() throws IOException {
    List<JsonObject> lines = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      if (line.startsWith("{")) {
        try {
          lines.add(JsonParser.parseString(line).getAsJsonObject());
        } catch (JsonParseException e) {
          // The process is writing this line, or was killed while it wrote it.
        }
      }
    }
    return lines;
  }

  @Override
  public String toString() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
