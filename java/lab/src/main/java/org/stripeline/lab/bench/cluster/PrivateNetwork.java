// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.cluster;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine.Model.CommandSpec;

/** Runs the command again in a process with its own network and mount namespaces. */
public final class PrivateNetwork {
  private static final String INSIDE_KEY = "stripeline.bench.private-network";

  private static final List<String> PROGRAMS =
      Arrays.asList("unshare", "ip", "tc", "mount", "sysctl");

  /** Replaces itself with the command that follows it, so that signals reach that command. */
  private static final List<String> UNSHARE = Arrays.asList("unshare", "--net", "--mount");

  private PrivateNetwork() {}

  /**
   * Runs the command line of a benchmark in such a process, unless this process is already one.
   *
   * @param root the command that this process was started with; its class has a {@code main}
   * @return the exit status, or empty if this process should run the command itself
   * @throws CommandException if this user cannot create such a process on this machine
   */
  public static OptionalInt enter(CommandSpec root) throws IOException, InterruptedException {
    if (Boolean.getBoolean(INSIDE_KEY)) {
      return OptionalInt.empty();
    }
    String obstacle = obstacle();
    if (obstacle != null) {
      throw new CommandException(
          ExitStatus.UNCHECKED, "Cannot measure on a shaped network: " + obstacle);
    }
    List<String> arguments = root.commandLine().getParseResult().originalArgs();
    return OptionalInt.of(run(root.userObject().getClass(), arguments));
  }

  /** Returns why this user cannot create such a process on this machine, or null. */
  public static String obstacle() throws IOException, InterruptedException {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "it requires root";
    }
    for (String program : PROGRAMS) {
      if (!isInstalled(program)) {
        return "the program '" + program + "' is missing";
      }
    }
    List<String> trial = new ArrayList<>(UNSHARE);
    trial.add("true");
    Process process = new ProcessBuilder(trial).redirectErrorStream(true).start();
    process.getOutputStream().close();
    return process.waitFor() == 0
        ? null
        : "this root user cannot create networks, for example in a container";
  }

  private static boolean isInstalled(String program) {
    String path = System.getenv("PATH") + File.pathSeparator + "/usr/sbin" + File.pathSeparator;
    for (String directory : path.split(File.pathSeparator)) {
      Path file = Paths.get(directory, program);
      if (!directory.isEmpty() && Files.isExecutable(file)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Runs a command in such a process and returns its exit status.
   *
   * @param main the class with its {@code main}
   * @param arguments its complete command line
   */
  public static int run(Class<?> main, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(UNSHARE);
    command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-Dlog4j.configuration=org/stripeline/terminal/log4j.properties");
    command.add("-D" + INSIDE_KEY + "=true");
    command.add(ChildMain.class.getName());
    command.add(main.getName());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).inheritIO().redirectInput(ProcessBuilder.Redirect.PIPE);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().merge("PATH", "/usr/sbin", (path, more) -> path + ":" + more);
    return ChildJvm.await(builder.start());
  }
}
