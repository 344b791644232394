// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options that benches on a cluster share: where they work, and what becomes of the results.
 */
public final class ClusterBenchOptions {
  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "New or empty directory to work in, best in memory such as /dev/shm/bench (default: a"
              + " temporary one)")
  private Path directory;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = "Directory to write ${COMMAND-NAME}.json, ${COMMAND-NAME}.txt and any plots to")
  private Path record;

  @Option(names = "--enforce", description = "Exit with 1 if a threshold is missed")
  private boolean enforce;

  @Mixin private OutputOptions output;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Measures something, and adds the results to a report. */
  public interface Measurement {
    /**
     * Measures.
     *
     * @param place the directory in which to work
     * @param progress receives a line for each step
     */
    void run(WorkDirectory place, Consumer<String> progress) throws IOException;
  }

  /** Returns whether a missed threshold is a failure. */
  public boolean isEnforced() {
    return enforce;
  }

  /** Returns the complete command line as given. */
  public String commandLine() {
    return "stripeline "
        + String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
  }

  /**
   * Measures, prints and records the report, and returns the exit status of the command.
   *
   * @param isShaped whether the run needs networks of its own
   * @param bytesStored bytes that the run needs in its directory
   */
  public int run(
      boolean isShaped, long bytesStored, ClusterBenchReport report, Measurement measurement)
      throws InterruptedException {
    try {
      if (isShaped) {
        OptionalInt status = PrivateNetwork.enter(spec.root());
        if (status.isPresent()) {
          return status.getAsInt();
        }
      }
      try (WorkDirectory place = WorkDirectory.open(directory, WorkDirectory.AtEnd.DELETE)) {
        place.requireSpace(bytesStored);
        Files.createDirectories(place.data());
        return measure(place, report, measurement);
      }
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
    }
  }

  private int measure(WorkDirectory place, ClusterBenchReport report, Measurement measurement)
      throws IOException {
    boolean hasEndedEarly = false;
    PrintWriter err = spec.commandLine().getErr();
    try {
      measurement.run(
          place,
          line -> {
            err.println(line);
            err.flush();
          });
    } catch (IOException | RuntimeException e) {
      if (report.isEmpty() && report.failures.isEmpty()) {
        throw e;
      }
      // Earlier measurements have taken time, so they are shown; and so are failures.
      hasEndedEarly = true;
      String failure = "the run ended early: " + e;
      report.failures.add(failure);
      err.println("FAILED " + failure);
      if (System.getenv("STRIPELINE_DEBUG") != null) {
        e.printStackTrace(err);
      }
    }
    if (place.isInterrupted()) {
      // What fails because its cluster is being stopped must not replace an earlier record.
      return ExitStatus.UNCHECKED;
    }
    report.conclude();
    StringWriter json = new StringWriter();
    OutputOptions.printJson(new PrintWriter(json), report);
    if (record != null) {
      Files.createDirectories(record);
      write(spec.name() + ".json", json.toString().trim() + "\n");
      write(spec.name() + ".txt", report.text());
      for (Map.Entry<String, String> plot : report.plots().entrySet()) {
        write(plot.getKey(), plot.getValue());
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(output.isJson() ? json.toString() : report.text());
    out.flush();
    if (hasEndedEarly || !report.isSound(enforce)) {
      return ExitStatus.FAILED;
    }
    return report.isEmpty() ? ExitStatus.UNCHECKED : ExitStatus.SOUND;
  }

  private void write(String name, String text) throws IOException {
    Files.write(record.resolve(name), text.getBytes(StandardCharsets.UTF_8));
  }
}
