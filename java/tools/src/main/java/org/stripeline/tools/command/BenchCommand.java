// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.stripeline.tools.CommandException;
import org.stripeline.tools.ExitStatus;
import org.stripeline.tools.bench.JavaBenchCommand;
import org.stripeline.tools.bench.io.IoBenchCommand;
import org.stripeline.tools.demo.HdfsBenchCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline bench}. */
@Command(
    name = "bench",
    description = "Measure how fast this machine codes.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BenchCommand.Codec.class,
      JavaBenchCommand.class,
      HdfsBenchCommand.class,
      IoBenchCommand.class
    })
public final class BenchCommand implements Runnable {
  /** Set by the launcher to the directory that it lies in. */
  private static final String HOME_KEY = "stripeline.tools.home";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Cannot run bench: name what to measure, such as codec");
  }

  /** {@code stripeline bench codec}: hands its arguments to the native bench. */
  @Command(
      name = "codec",
      description = {
        "Time our codec and others on the same buffers, after checking every byte they write.",
        "",
        "The measuring is done by a native program, which takes the arguments below as they are"
            + " and shares our exit statuses."
      },
      customSynopsis = "stripeline bench codec [-hV] [-- ARGUMENT...]",
      footerHeading = "%nArguments:%n",
      footer = {
        "  --quick              rough figures within seconds",
        "  --list               the built-in definitions",
        "  --definition=NAME    a built-in definition or a .toml file (default: codec)",
        "  --format=table|json  form of the result on stdout",
        "  --record=DIR         write the record as JSON and the plot as SVG there",
        "",
        "'stripeline bench codec -- --help' lists all of them."
      })
  static final class Codec implements Callable<Integer> {
    @Parameters(
        arity = "0..*",
        paramLabel = "ARGUMENT",
        hidden = true,
        description = "Argument of the native bench")
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
      List<String> command = new ArrayList<>();
      command.add(program().toString());
      command.addAll(arguments);
      Process process = new ProcessBuilder(command).inheritIO().start();
      // Ctrl-C reaches the bench by itself, but the end of this process alone would not.
      Thread end = new Thread(process::destroy, "end-bench");
      Runtime.getRuntime().addShutdownHook(end);
      try {
        return process.waitFor();
      } finally {
        Runtime.getRuntime().removeShutdownHook(end);
      }
    }

    private static Path program() {
      Path home = Paths.get(System.getProperty(HOME_KEY, "."));
      Path built = home.resolve("build/bench/stripeline-bench");
      for (Path path :
          new Path[] {home.resolveSibling("libexec").resolve("stripeline-bench"), built}) {
        if (Files.isExecutable(path)) {
          return path;
        }
      }
      throw new CommandException(
          ExitStatus.UNCHECKED,
          "Cannot run the bench: " + built + " is missing; build it with 'make bench'");
    }
  }
}
