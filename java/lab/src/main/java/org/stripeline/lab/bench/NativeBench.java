// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine.Parameters;

/** A command that passes its arguments to a program of the benchmark and waits for it. */
public abstract class NativeBench implements Callable<Integer> {
  private final String name;

  @Parameters(
      arity = "0..*",
      paramLabel = "ARGUMENT",
      hidden = true,
      description = "Argument of the native bench")
  private List<String> arguments = new ArrayList<>();

  public NativeBench(String name) {
    this.name = name;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(program(name).toString());
    for (String argument : arguments) {
      // The programs have more forms than two, and name the form.
      command.add(argument.equals("--json") ? "--format=json" : argument);
    }
    return ChildJvm.await(new ProcessBuilder(command).inheritIO().start());
  }

  /** Returns the directory of the launcher, which sets the property. */
  public static Path home() {
    return Paths.get(System.getProperty("stripeline.home", "."));
  }

  private static Path program(String name) {
    Path home = home();
    Path built = home.resolve("build/bench").resolve(name);
    for (Path path : new Path[] {home.resolveSibling("libexec").resolve(name), built}) {
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw new CommandException(
        ExitStatus.UNCHECKED,
        "Cannot run the bench: " + built + " is missing; build it with 'make bench'");
  }
}
