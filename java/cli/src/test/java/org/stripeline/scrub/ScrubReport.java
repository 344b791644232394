// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.testkit.CommandRun;

/** The exit status of {@code stripeline scrub} or {@code repair}, and what it printed. */
final class ScrubReport {
  final int status;
  final String out;
  final String err;

  private ScrubReport(CommandRun run) {
    status = run.status();
    out = run.out();
    err = run.err();
  }

  /** Runs a scrub in this process. */
  static ScrubReport of(String... arguments) {
    return of(new ScrubCommand(), arguments);
  }

  /** Runs a command in this process. */
  static ScrubReport of(Object command, String... arguments) {
    return new ScrubReport(CommandRun.of(CommandStyle.commandLine(command), arguments));
  }

  /** Returns the objects of JSON output. */
  List<JsonObject> lines() {
    List<JsonObject> lines = new ArrayList<>();
    out.lines().forEach(one -> lines.add(JsonParser.parseString(one).getAsJsonObject()));
    return lines;
  }

  /** Returns one of the sums. */
  long sum(String name) {
    return sum(lines(), name);
  }

  /** Returns one of the sums in the last line of JSON output. */
  static long sum(List<JsonObject> lines, String name) {
    return lines.get(lines.size() - 1).get(name).getAsLong();
  }

  /** Returns the groups with findings. */
  List<JsonObject> groups() {
    return groups(lines());
  }

  /** Returns the groups with findings of JSON output. */
  static List<JsonObject> groups(List<JsonObject> lines) {
    List<JsonObject> groups = new ArrayList<>(lines);
    groups.removeIf(line -> !line.has("findings"));
    return groups;
  }

  /** Returns the findings of a file, as kind and unit. */
  List<String> findings(String path) {
    List<String> found = new ArrayList<>();
    for (JsonObject group : groups()) {
      if (group.get("path").getAsString().equals(path)) {
        for (JsonElement one : group.getAsJsonArray("findings")) {
          JsonObject finding = one.getAsJsonObject();
          String unit = finding.has("unit") ? " " + finding.get("unit").getAsInt() : "";
          found.add(finding.get("kind").getAsString() + unit);
        }
      }
    }
    return found;
  }

  @Override
  public String toString() {
    return status + "\n" + out + err;
  }
}
