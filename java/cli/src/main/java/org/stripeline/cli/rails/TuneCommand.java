// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.rails;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.natives.codec.EcException;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline tune}. */
@Command(
    name = "tune",
    description = {
      "Measure this machine's rails and write the results to a tuning table.",
      "",
      "A rail is a coder on a device: cpu, isal (if libisal is installed), cuda (each NVIDIA GPU),"
          + " plugin:PATH. Measures for each: how many threads increase its"
          + " throughput, the minimum size of a task for which using it saves time, its throughput"
          + " by size, the best size of pieces, and the size of stripes above which stores that"
          + " bypass the cache are faster. The engine starts"
          + " with the values of the table that stripeline.engine.tuning names, and updates them"
          + " with its own measurements.",
      "",
      "The table is text with a section for each model of processor. Sections of other models are"
          + " kept, so one file can serve a cluster of different machines. Run the command while"
          + " the machine is idle."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Measured and written",
      "2:The command line cannot be carried out as given",
      "3:Could not measure or write"
    })
public final class TuneCommand implements Callable<Integer> {
  private static final int SECONDS_MAX = 600;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      defaultValue = "stripeline-tuning.toml",
      description = "The table, created if it does not exist (default: ${DEFAULT-VALUE})")
  private Path file;

  @Option(
      names = "--rails",
      paramLabel = "NAME[,NAME...]",
      defaultValue = RailReport.KNOWN,
      description = "Rails to measure (default: ${DEFAULT-VALUE})")
  private String rails;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "40",
      description = "Seconds to measure, all rails together (default: ${DEFAULT-VALUE})")
  private double seconds;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
      throw new ParameterException(
          spec.commandLine(),
          "--seconds is " + seconds + ", more than 0 and at most 600 are allowed");
    }
    for (String rail : rails.split(",")) {
      if (!rail.trim().matches("cpu|isal|cuda|null|plugin:.+")) {
        throw new ParameterException(
            spec.commandLine(),
            "Cannot measure rail '" + rail + "': known are " + RailReport.KNOWN + ",plugin:PATH");
      }
    }
    RailReport report;
    try {
      Duration budget = Duration.ofMillis(Math.max(1, (long) (seconds * 1000)));
      report = RailReport.of(rails, budget, Paths.get("").toAbsolutePath().resolve(file));
    } catch (EcException e) {
      throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
    }
    boolean isMeasured = report.rails.stream().anyMatch(rail -> rail.bytesPerSecond != null);
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, report);
    } else {
      report.lines().forEach(out::println);
      if (isMeasured) {
        out.println("written to " + file + "; to use it set stripeline.engine.tuning to that path");
      }
      out.flush();
    }
    PrintWriter talk = spec.commandLine().getErr();
    report.notes.forEach(talk::println);
    talk.flush();
    if (!isMeasured) {
      throw new CommandException(
          ExitStatus.UNCHECKED,
          "Cannot write " + file + ": no rail was measured; name others with --rails");
    }
    return ExitStatus.SOUND;
  }
}
