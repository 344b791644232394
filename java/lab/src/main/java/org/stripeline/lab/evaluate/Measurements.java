// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.lab.bench.cluster.ChildMain;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Release;

/**
 * Runs measurements as processes, and keeps each result in a file of its own, so that an evaluation
 * that was ended can continue after the last complete one.
 */
final class Measurements {
  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().serializeNulls().create();

  /** How a note of a part of {@code bench engine} begins that was not measured. */
  private static final String PART_LEFT_OUT = "left out: ";

  private final Path results;
  private final Path logs;
  private final Class<?> main;
  private final Path home;
  private final String origin;

  /** By command, what was tried in this run; two sections may use one measurement. */
  private final Map<String, Stored> tried = new HashMap<>();

  /** A finished measurement as it is stored. */
  static final class Stored {
    String version;
    String origin;
    List<String> arguments;
    double seconds;
    JsonObject result;

    /** Why it was not measured, or null. */
    transient String leftOut;

    /** What went wrong, or null. */
    transient String failed;

    /**
     * Whether the result was not measured for this section: it is that of an earlier run or of
     * another section.
     */
    transient boolean isEarlier;
  }

  /**
   * Creates an object that keeps results in a directory.
   *
   * @param main the class with the {@code main} of our command
   * @param home the checkout, for scripts
   * @param origin what measures, see {@link Origin#of}
   */
  Measurements(Path directory, Class<?> main, Path home, String origin) throws IOException {
    this.main = main;
    this.home = home;
    this.origin = origin;
    results = Files.createDirectories(directory.resolve("results"));
    logs = Files.createDirectories(directory.resolve("log"));
  }

  /**
   * Returns the stored result of this measurement if the same command of the same version and
   * origin completed it, or what became of it in this run, and otherwise null.
   */
  Stored earlier(Measurement measurement) throws IOException {
    Stored before = tried.get(measurement.command());
    if (before != null) {
      before.isEarlier = true;
      return before;
    }
    Path file = file(measurement);
    if (!Files.exists(file)) {
      return null;
    }
    Stored stored;
    try {
      stored = GSON.fromJson(read(file), Stored.class);
    } catch (JsonParseException e) {
      return null;
    }
    boolean isSame =
        stored != null
            && stored.result != null
            && Release.version().equals(stored.version)
            && origin.equals(stored.origin)
            && measurement.arguments.equals(stored.arguments);
    // What was left out may be there now, and what failed may succeed.
    boolean isWhole = isSame && leftOut(stored.result) == null && failures(stored.result).isEmpty();
    if (isWhole) {
      stored.isEarlier = true;
    }
    return isWhole ? stored : null;
  }

  /** Returns what a bench that did measure says that it left out, and why; null if nothing. */
  static String leftOut(JsonObject result) {
    List<String> reasons = new ArrayList<>();
    if (result.has("leftOut") && result.get("leftOut").isJsonObject()) {
      result
          .getAsJsonObject("leftOut")
          .entrySet()
          .forEach(one -> reasons.add(one.getKey() + " (" + one.getValue().getAsString() + ")"));
    }
    // bench engine says it in the notes of each of its parts.
    for (JsonElement part : list(result, "sections")) {
      for (JsonElement note : list(part.getAsJsonObject(), "notes")) {
        if (note.getAsString().startsWith(PART_LEFT_OUT)) {
          String reason = note.getAsString().substring(PART_LEFT_OUT.length());
          reasons.add(part.getAsJsonObject().get("part").getAsString() + " (" + reason + ")");
        }
      }
    }
    return reasons.isEmpty() ? null : "Cannot measure " + String.join(", ", reasons);
  }

  /** Returns what a bench says that failed; empty if nothing. */
  private static String failures(JsonObject result) {
    List<String> failures = new ArrayList<>();
    list(result, "failures").forEach(one -> failures.add(one.getAsString()));
    return String.join("; ", failures);
  }

  private static JsonArray list(JsonObject from, String key) {
    JsonElement list = from.get(key);
    return list != null && list.isJsonArray() ? list.getAsJsonArray() : new JsonArray();
  }

  /** Runs a measurement to its end and stores its result. */
  Stored run(Measurement measurement) throws IOException, InterruptedException {
    Path out = logs.resolve(measurement.name + ".out");
    Path log = logs.resolve(measurement.name + ".txt");
    Stored stored = new Stored();
    stored.version = Release.version();
    stored.origin = origin;
    stored.arguments = measurement.arguments;
    long start = Ticker.SYSTEM.nanos();
    int status = execute(measurement, out, log);
    stored.seconds = (Ticker.SYSTEM.nanos() - start) / 1e9;
    stored.result = parse(out);
    boolean isMeasured =
        status == ExitStatus.SOUND || (measurement.mayDiffer && status == ExitStatus.FAILED);
    if (isMeasured && stored.result == null) {
      stored.failed = "the command printed no result, see " + log;
    } else if (status == ExitStatus.UNCHECKED) {
      stored.leftOut = reason(log);
    } else if (!isMeasured) {
      // Also a command that was killed, or that refused its options.
      String failures = stored.result == null ? "" : failures(stored.result);
      stored.failed = (failures.isEmpty() ? reason(log) : failures) + ", exit status " + status;
    }
    Files.deleteIfExists(out);
    if (isMeasured && stored.result != null) {
      Path part = results.resolve(measurement.name + ".part");
      Files.write(part, GSON.toJson(stored).getBytes(StandardCharsets.UTF_8));
      Files.move(part, file(measurement), StandardCopyOption.REPLACE_EXISTING);
    }
    tried.put(measurement.command(), stored);
    return stored;
  }

  private int execute(Measurement measurement, Path out, Path log)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (measurement.isScript) {
      Path script = home.resolve(measurement.arguments.get(0));
      if (!Files.isExecutable(script)) {
        String text = "Cannot run " + script + ": it is in checkouts only, not in installations\n";
        Files.write(log, text.getBytes(StandardCharsets.UTF_8));
        Files.write(out, new byte[0]);
        return ExitStatus.UNCHECKED;
      }
      command.add(script.toString());
      command.addAll(measurement.arguments.subList(1, measurement.arguments.size()));
    } else {
      command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
      if (measurement.isOnDisk()) {
        // The directory for temporary files may be in memory.
        command.add("-Djava.io.tmpdir=" + results.getParent());
      }
      command.add(ChildMain.class.getName());
      command.add(main.getName());
      command.addAll(measurement.arguments);
      command.add("--json");
    }
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(log.toFile());
    if (measurement.isScript) {
      builder.environment().put("STRIPELINE_END_WITH_INPUT", "1");
    } else {
      builder.environment().put("CLASSPATH", classPath(measurement));
    }
    return ChildJvm.await(builder.start());
  }

  private String classPath(Measurement measurement) throws IOException {
    StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
    // Has the coder that computes nothing; only in checkouts.
    Path coders = home.resolve("java/lab/target/test-classes");
    if (Files.isDirectory(coders)) {
      path.append(File.pathSeparator).append(coders);
    }
    // As resolved by scripts/application.sh, which the section of programs runs before.
    Path programs = home.resolve("build/applications/mapreduce.txt");
    if (measurement.needsDistcp() && Files.exists(programs)) {
      path.append(File.pathSeparator).append(read(programs).trim());
    }
    return path.toString();
  }

  /** Returns the last message of the command, without a list of its options. */
  private static String reason(Path log) throws IOException {
    String last = "the command printed no message";
    // Programs may print in another encoding.
    for (String line : read(log).split("\n")) {
      if (line.contains("Cannot ") || line.contains("FAILED")) {
        last = line.trim();
      }
    }
    return last + " (" + log + ")";
  }

  private static JsonObject parse(Path file) throws IOException {
    try {
      return JsonParser.parseString(read(file)).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException e) {
      return null;
    }
  }

  private Path file(Measurement measurement) {
    return results.resolve(measurement.name + ".json");
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
