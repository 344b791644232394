// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The common parts of all commands: help, version, exit statuses and error messages. */
public final class CommandStyle {
  private static final Map<String, String> EXIT_STATUSES = exitStatuses();

  private CommandStyle() {}

  /**
   * Creates the command line of a command and its subcommands.
   *
   * @param command an object with picocli annotations
   * @return a command line ready to execute
   */
  public static CommandLine commandLine(Object command) {
    CommandLine line = new CommandLine(command);
    apply(line.getCommandSpec());
    registerEnumConverters(line.getCommandSpec(), line);
    line.setParameterExceptionHandler(CommandStyle::explainUsage);
    line.setExecutionExceptionHandler(CommandStyle::explainFailure);
    line.setExecutionStrategy(CommandStyle::execute);
    return line;
  }

  /** Returns a word of a command line as a shell must get it: quoted if it needs to be. */
  public static String shellWord(String word) {
    if (!word.equals(Terminal.oneLine(word))) {
      // Bash replaces the escapes.
      return "$'" + Terminal.oneLine(word.replace("\\", "\\\\").replace("'", "\\'")) + "'";
    }
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /** Adds the common help, version and exit statuses to a command and its subcommands. */
  private static void apply(CommandSpec spec) {
    if (!spec.mixinStandardHelpOptions()) {
      // Commands that are methods declare the options themselves: adding them here would shift the
      // parameters of the method.
      spec.mixinStandardHelpOptions(true);
    }
    // Hadoop's spelling.
    spec.addOption(OptionSpec.builder("-help").usageHelp(true).hidden(true).build());
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
      apply(below.getCommandSpec());
    }
  }

  /**
   * Accepts the values of enums in any case, and lists them in error messages as help pages do:
   * picocli itself would list the names of the constants.
   */
  private static void registerEnumConverters(CommandSpec spec, CommandLine line) {
    for (ArgSpec argument : spec.args()) {
      for (Class<?> type : argument.auxiliaryTypes()) {
        if (type.isEnum()) {
          register(line, type);
        }
      }
    }
    for (CommandLine below : spec.subcommands().values()) {
      registerEnumConverters(below.getCommandSpec(), line);
    }
  }

  private static <E> void register(CommandLine line, Class<E> type) {
    line.registerConverter(
        type,
        value -> {
          for (E constant : type.getEnumConstants()) {
            if (constant.toString().equalsIgnoreCase(value)) {
              return constant;
            }
          }
          throw new TypeConversionException(
              "expected one of "
                  + Arrays.toString(type.getEnumConstants())
                  + " but was '"
                  + value
                  + "'");
        });
  }

  private static Map<String, String> exitStatuses() {
    Map<String, String> statuses = new LinkedHashMap<>();
    statuses.put("0", "Success, no problem found");
    statuses.put("1", "Failure, or a problem was found");
    statuses.put("2", "The command line cannot be carried out as given");
    statuses.put("3", "Could not check");
    return Collections.unmodifiableMap(statuses);
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

  /** A class that is missing or memory that is full is no result: status 1 would claim one. */
  private static int execute(CommandLine.ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (Error e) {
      explain(e, parsed.commandSpec().commandLine().getErr());
      return ExitStatus.UNCHECKED;
    }
  }

  private static int explainFailure(
      Exception e, CommandLine line, CommandLine.ParseResult parseResult) {
    if (!isEnding()) {
      explain(e, line.getErr());
    }
    return e instanceof CommandException ? ((CommandException) e).exitStatus() : ExitStatus.FAILED;
  }

  /**
   * Returns whether a signal ends this process: its shutdown hooks close the connections of the
   * command, whose failure then says nothing.
   */
  private static boolean isEnding() {
    Thread probe = new Thread("stripeline-probe");
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  private static void explain(Throwable e, PrintWriter err) {
    boolean tells = e instanceof Exception && e.getMessage() != null;
    err.println("stripeline: " + (tells ? e.getMessage() : "Cannot continue: " + e));
    if (System.getenv("STRIPELINE_DEBUG") != null) {
      e.printStackTrace(err);
    }
    err.flush();
  }

  /** Prints for {@code --version} the first line of {@code stripeline version}. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"stripeline " + Release.version()};
    }
  }
}
