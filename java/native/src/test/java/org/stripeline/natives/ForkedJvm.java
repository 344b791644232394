// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a separate JVM with the class path of this one. */
final class ForkedJvm {
  private ForkedJvm() {}

  /** The exit status and output of the JVM. */
  static final class Result {
    final int exitCode;
    final String output;

    Result(int exitCode, String output) {
      this.exitCode = exitCode;
      this.output = output;
    }
  }

  static Result run(
      Map<String, String> environment,
      List<String> jvmArguments,
      Class<?> main,
      String... arguments)
      throws IOException, InterruptedException {
    return runUnder(Collections.emptyList(), environment, jvmArguments, main, arguments);
  }

  /** Runs the JVM as the argument of another command. */
  static Result runUnder(
      List<String> prefix,
      Map<String, String> environment,
      List<String> jvmArguments,
      Class<?> main,
      String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("-Xmx256m");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    String library = System.getProperty(NativeLoader.PATH_KEY);
    if (library != null) {
      command.add("-D" + NativeLoader.PATH_KEY + "=" + library);
    }
    command.addAll(jvmArguments);
    command.add(main.getName());
    command.addAll(Arrays.asList(arguments));
    Path output = Files.createTempFile("stripeline-forked", ".txt");
    try {
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().putAll(environment);
      builder.redirectErrorStream(true);
      // A file instead of a pipe, because no thread reads the output while the process runs.
      builder.redirectOutput(output.toFile());
      Process process = builder.start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new IOException("forked JVM did not end: " + command);
      }
      return new Result(process.exitValue(), new String(Files.readAllBytes(output)));
    } finally {
      Files.delete(output);
    }
  }
}
