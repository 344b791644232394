// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab;

import org.stripeline.lab.cluster.ClusterCommand;
import org.stripeline.lab.demo.DemoCommand;
import org.stripeline.terminal.CommandStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code stripeline} command with only the commands of this module. */
@Command(
    name = "stripeline",
    subcommands = {BenchCommand.class, ClusterCommand.class, DemoCommand.class})
public final class LabMain {
  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** Creates the command tree. */
  public static CommandLine commandLine() {
    CommandLine line = CommandStyle.commandLine(new LabMain());
    BenchCommand.passOptionsOn(line.getSubcommands().get("bench"));
    return line;
  }
}
