// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.IHelpCommandInitializable2;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * {@code stripeline help}: prints what {@code --help} of a command prints. Unlike picocli's own
 * command it also finds commands of commands.
 */
@Command(
    name = "help",
    helpCommand = true,
    description = "Describe a command, or list all of them.")
final class HelpCommand implements IHelpCommandInitializable2, Runnable {
  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "The command, such as: plan, or: cluster start")
  private List<String> words = new ArrayList<>();

  private CommandLine self;
  private ColorScheme colours;
  private PrintWriter out;

  @Override
  public void init(CommandLine help, ColorScheme scheme, PrintWriter output, PrintWriter error) {
    self = help;
    colours = scheme;
    out = output;
  }

  @Override
  public void run() {
    CommandLine found = self.getParent();
    for (String word : words) {
      CommandLine below = found.getSubcommands().get(word);
      if (below == null) {
        String of = found.getCommandSpec().qualifiedName();
        throw new ParameterException(found, "Unknown subcommand '" + word + "' of " + of);
      }
      found = below;
    }
    found.usage(out, colours);
  }
}
