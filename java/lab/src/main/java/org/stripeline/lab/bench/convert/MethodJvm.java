// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import com.google.gson.Gson;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.terminal.ExitStatus;

/** Runs a command in a separate JVM from its start to its end. */
public final class MethodJvm {
  /** The heap that {@code stripeline convert} needs according to its documentation. */
  private static final int HEAP_MIB = 512;

  private final List<String> prefix;
  private final Path configuration;
  private final Path log;

  /**
   * Sets what all commands have in common.
   *
   * @param prefix runs commands on the host of clients; empty for this process's own network
   * @param configuration a directory with the cluster's client configuration
   * @param log receives their standard error
   */
  public MethodJvm(List<String> prefix, Path configuration, Path log) {
    this.prefix = prefix;
    this.configuration = configuration;
    this.log = log;
  }

  /** The output and the resource use of a command. */
  public static final class Run {
    public double seconds;
    public double cpuSeconds;
    public final List<String> lines = new ArrayList<>();
  }

  /**
   * Runs a command.
   *
   * @throws IOException if it does not end with status 0
   */
  public Run run(List<String> arguments) throws IOException {
    return run(Collections.emptyList(), arguments, ExitStatus.SOUND);
  }

  /**
   * Runs a command.
   *
   * @param javaArguments for Java, in addition to those that every command gets
   * @param expected its exit status
   * @throws IOException if it ends with another one
   */
  public Run run(List<String> javaArguments, List<String> arguments, int expected)
      throws IOException {
    List<String> forJava =
        new ArrayList<>(Arrays.asList("-Xmx" + HEAP_MIB + "m", "-XX:+UseParallelGC"));
    forJava.addAll(javaArguments);
    ProcessBuilder builder = ChildJvm.of(prefix, forJava, MethodMain.class, arguments);
    builder
        .environment()
        .compute("CLASSPATH", (name, path) -> configuration + File.pathSeparator + path);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Run run = new Run();
    long started = System.nanoTime();
    try {
      ChildJvm.run(builder, run.lines);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Cannot wait for '" + String.join(" ", arguments) + "'", e);
    }
    run.seconds = (System.nanoTime() - started) / 1e9;
    return checked(run, arguments, expected);
  }

  private static Run checked(Run run, List<String> arguments, int expected) throws IOException {
    String last = run.lines.isEmpty() ? "" : run.lines.remove(run.lines.size() - 1);
    MethodMain.Answer answer =
        last.startsWith("{\"status\"") ? new Gson().fromJson(last, MethodMain.Answer.class) : null;
    if (answer == null || answer.status != expected) {
      throw new IOException(
          "'"
              + String.join(" ", arguments)
              + "' "
              + (answer == null ? "ended without a result" : "ended with status " + answer.status)
              + "; its last output: "
              + String.join(" | ", lastOf(run.lines)));
    }
    run.cpuSeconds = answer.cpuSeconds;
    return run;
  }

  private static List<String> lastOf(List<String> lines) {
    return lines.subList(Math.max(0, lines.size() - 3), lines.size());
  }
}
