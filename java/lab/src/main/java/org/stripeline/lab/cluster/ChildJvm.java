// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.stripeline.terminal.JavaRuntime;

/** JVMs that run Hadoop on this machine for the cluster, the demo and the benches. */
public final class ChildJvm {
  /** Longer than a cluster takes to start, which a signal waits for. */
  private static final long END_SECONDS = 240;

  private ChildJvm() {}

  /**
   * Creates a JVM with the native library and compilers of this one, and with its class path except
   * site files.
   *
   * @param prefix runs the command that follows it; possibly empty
   * @param jvmArguments override the common ones
   */
  public static ProcessBuilder of(
      List<String> prefix, List<String> jvmArguments, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        Arrays.asList(
            "-XX:-UsePerfData",
            "-Djava.net.preferIPv4Stack=true",
            "-Dlog4j.configuration=org/stripeline/terminal/log4j.properties"));
    command.addAll(JavaRuntime.hadoopArguments());
    command.addAll(JavaRuntime.nativeArguments());
    command.addAll(JavaRuntime.compilerArguments());
    command.addAll(jvmArguments);
    command.add(main.getName());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    // In the environment, which keeps it out of `ps` and avoids the length limit of one argument.
    builder.environment().put("CLASSPATH", JavaRuntime.classPathWithoutSites());
    return builder;
  }

  /** Returns, in a child, when its parent has ended or has closed the input: nothing is sent. */
  public static void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Ignored until its end.
      }
    } catch (IOException e) {
      // The other end is gone.
    }
  }

  /**
   * Waits for the end of a process. If a signal ends this process first, it sends one to the other,
   * which then has time to delete its files. If this process is killed, the other one must notice
   * the end of its input.
   *
   * @return its exit status
   */
  public static int await(Process process) throws InterruptedException {
    Thread end = new Thread(() -> end(process), "end-process");
    Runtime.getRuntime().addShutdownHook(end);
    try {
      return process.waitFor();
    } finally {
      end(process);
      try {
        Runtime.getRuntime().removeShutdownHook(end);
      } catch (IllegalStateException e) {
        // This process is ending, and the hook does the same.
      }
    }
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Runs a process to its end, without input; it ends with this process at the latest.
   *
   * @param lines receives its output
   * @return its exit status
   */
  public static int run(ProcessBuilder builder, List<String> lines)
      throws IOException, InterruptedException {
    Process process = builder.start();
    Thread end = new Thread(process::destroyForcibly, "end-child-jvm");
    Runtime.getRuntime().addShutdownHook(end);
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      process.getOutputStream().close();
      for (String line = said.readLine(); line != null; line = said.readLine()) {
        lines.add(line);
      }
      return process.waitFor();
    } finally {
      process.destroyForcibly();
      Runtime.getRuntime().removeShutdownHook(end);
    }
  }
}
