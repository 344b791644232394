// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import org.stripeline.terminal.CommandStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code stripeline} command with {@code convert} as its only subcommand. */
@Command(name = "stripeline", subcommands = ConvertCommand.class)
final class ConvertMain {
  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return CommandStyle.commandLine(new ConvertMain());
  }
}
