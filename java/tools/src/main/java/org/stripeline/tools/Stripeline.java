// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.stripeline.tools.command.BenchCommand;
import org.stripeline.tools.command.ClusterCommand;
import org.stripeline.tools.command.DoctorCommand;
import org.stripeline.tools.command.PlanCommand;
import org.stripeline.tools.command.VersionCommand;
import org.stripeline.tools.convert.ConvertCommand;
import org.stripeline.tools.demo.DemoCommand;
import org.stripeline.tools.rails.TuneCommand;
import org.stripeline.tools.simulate.SimulateCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code stripeline} command. */
@Command(
    name = "stripeline",
    description = "Erasure coding for stock Apache Hadoop HDFS.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      PlanCommand.class,
      ClusterCommand.class,
      ConvertCommand.class,
      DoctorCommand.class,
      TuneCommand.class,
      BenchCommand.class,
      SimulateCommand.class,
      VersionCommand.class
    },
    footerHeading = "%nEnvironment:%n",
    footer = {
      "  JAVA_HOME             Java to use; else java on PATH",
      "  HADOOP_HOME           Hadoop to use; else hadoop on PATH, else what the build fetched",
      "  HADOOP_CONF_DIR       Hadoop configuration to use",
      "  STRIPELINE_ISA        instruction set of the native kernels; else the best there is",
      "  STRIPELINE_JAVA_OPTS  further arguments for Java, such as -Xmx4g",
      "",
      "'stripeline COMMAND --help' says more about a command. Results go to stdout, talk to stderr."
    })
public final class Stripeline implements Runnable {
  private static final Map<String, String> EXIT_STATUSES = exitStatuses();

  @Spec private CommandSpec spec;

  /**
   * Runs the command and ends the process with its exit status.
   *
   * @param arguments the command line
   */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /**
   * Makes the whole command tree.
   *
   * @return a command line ready to execute
   */
  public static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Stripeline());
    applyHouseStyle(line.getCommandSpec());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setParameterExceptionHandler(Stripeline::explainUsage);
    line.setExecutionExceptionHandler(Stripeline::explainFailure);
    // The native programs of the bench have options of their own.
    Map<String, CommandLine> benches = line.getSubcommands().get("bench").getSubcommands();
    for (String name : new String[] {"codec", "engine"}) {
      benches.get(name).setUnmatchedOptionsArePositionalParams(true);
    }
    return line;
  }

  /** Gives a command and all below it the help, version and exit statuses that all have. */
  private static void applyHouseStyle(CommandSpec spec) {
    if (!spec.mixinStandardHelpOptions()) {
      // Commands that are methods say so themselves: added here, the options would shift their
      // parameters.
      spec.mixinStandardHelpOptions(true);
    }
    spec.versionProvider(new Version());
    UsageMessageSpec usage = spec.usageMessage();
    usage.width(96);
    usage.sortOptions(false);
    usage.commandListHeading("%nCommands:%n");
    usage.optionListHeading("%nOptions:%n");
    if (usage.exitCodeList().isEmpty()) {
      usage.exitCodeListHeading("%nExit status:%n");
      usage.exitCodeList(EXIT_STATUSES);
    }
    for (CommandLine below : spec.subcommands().values()) {
      applyHouseStyle(below.getCommandSpec());
    }
  }

  private static Map<String, String> exitStatuses() {
    Map<String, String> statuses = new LinkedHashMap<>();
    statuses.put("0", "Done, and nothing is wrong");
    statuses.put("1", "Failed, or something was found");
    statuses.put("2", "The command line cannot be carried out as given");
    statuses.put("3", "Could not check");
    return Collections.unmodifiableMap(statuses);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Cannot run: no command is named");
  }

  private static int explainUsage(ParameterException e, String[] arguments) {
    CommandLine line = e.getCommandLine();
    PrintWriter err = line.getErr();
    err.println("stripeline: " + e.getMessage());
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, err)) {
      err.println("Try '" + line.getCommandSpec().qualifiedName() + " --help'.");
    }
    err.flush();
    return ExitStatus.USAGE;
  }

  private static int explainFailure(
      Exception e, CommandLine line, CommandLine.ParseResult parseResult) {
    PrintWriter err = line.getErr();
    err.println("stripeline: " + (e.getMessage() == null ? e.toString() : e.getMessage()));
    if (System.getenv("STRIPELINE_DEBUG") != null) {
      e.printStackTrace(err);
    }
    err.flush();
    return e instanceof CommandException
        ? ((CommandException) e).exitStatus()
        : ExitStatus.FAILED;
  }

  /** Lets --version print what {@code stripeline version} begins with. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"stripeline " + Release.version()};
    }
  }
}
