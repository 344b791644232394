// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.JavaRuntime;

/** Runs a class of this package in a new JVM and returns its output lines. */
final class ChildJvm {
  private ChildJvm() {}

  static List<String> run(Class<?> main, List<String> jvmArguments, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
    // A heap of fixed size, so that heap growth affects no contestant.
    command.addAll(Arrays.asList("-Xms1g", "-Xmx1g", "-XX:-UsePerfData"));
    command.add("-Dlog4j.configuration=org/stripeline/terminal/log4j.properties");
    command.addAll(JavaRuntime.hadoopArguments());
    if (JavaRuntime.feature() >= 9) {
      command.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    }
    command.addAll(JavaRuntime.nativeArguments());
    command.addAll(jvmArguments);
    command.add(main.getName());
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", classPath());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return linesOf(builder.start(), main.getSimpleName() + " " + String.join(" ", arguments));
  }

  private static List<String> linesOf(Process process, String what)
      throws IOException, InterruptedException {
    // Ends the child if this process ends early.
    Thread end = new Thread(process::destroy, "end-child-jvm");
    Runtime.getRuntime().addShutdownHook(end);
    try {
      List<String> lines = new ArrayList<>();
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          lines.add(line);
        }
      }
      int status = process.waitFor();
      if (status != 0) {
        throw new CommandException(
            ExitStatus.FAILED, "Cannot measure " + what + ": its JVM ended with status " + status);
      }
      return lines;
    } finally {
      process.destroy();
      Runtime.getRuntime().removeShutdownHook(end);
    }
  }

  private static String classPath() {
    return benchmarkJar() + File.pathSeparator + System.getProperty("java.class.path");
  }

  /**
   * Returns the jar of Hadoop's tests; releases of Hadoop and Maven repositories have it next to
   * the jar of its classes.
   */
  private static Path benchmarkJar() {
    Path common;
    try {
      common =
          Paths.get(
              RawErasureEncoder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("a class that is loaded from a file has its address", e);
    }
    String name = common.getFileName().toString().replaceFirst("\\.jar$", "-tests.jar");
    Path tests = common.resolveSibling(name);
    if (!Files.isReadable(tests)) {
      throw new CommandException(
          ExitStatus.UNCHECKED,
          "Cannot run Hadoop's benchmark: "
              + tests
              + " is missing; a Hadoop release has it in"
              + " share/hadoop/common");
    }
    return tests;
  }
}
