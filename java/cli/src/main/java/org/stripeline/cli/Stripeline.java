// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import org.stripeline.cli.doctor.DoctorCommand;
import org.stripeline.cli.rails.TuneCommand;
import org.stripeline.cli.simulate.SimulateCommand;
import org.stripeline.convert.ConvertCommand;
import org.stripeline.convert.StatusCommand;
import org.stripeline.lab.BenchCommand;
import org.stripeline.lab.cluster.ClusterCommand;
import org.stripeline.lab.demo.DemoCommand;
import org.stripeline.lab.evaluate.EvaluateCommand;
import org.stripeline.plan.PlanCommand;
import org.stripeline.scrub.RepairCommand;
import org.stripeline.scrub.ScrubCommand;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
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
      HdfsCommand.class,
      ConvertCommand.class,
      StatusCommand.class,
      ScrubCommand.class,
      RepairCommand.class,
      DoctorCommand.class,
      TuneCommand.class,
      BenchCommand.class,
      EvaluateCommand.class,
      SimulateCommand.class,
      VersionCommand.class,
      HelpCommand.class
    },
    footerHeading = "%nEnvironment:%n",
    footer = {
      "  JAVA_HOME             Java to use; else java on PATH",
      "  HADOOP_HOME           Hadoop to use; else hadoop on PATH, else the one that the build"
          + " fetched",
      "  HADOOP_CONF_DIR       Hadoop configuration to use",
      "  HADOOP_OPTS           properties (-Dkey=value) for Java, also those that hadoop-env.sh"
          + " adds;",
      "                        HADOOP_CLIENT_OPTS likewise",
      "  STRIPELINE_ISA        instruction set of the native kernels; else the fastest available",
      "  STRIPELINE_JAVA_OPTS  additional arguments for Java, such as -Xmx4g",
      "  STRIPELINE_LOG        file for log messages of Hadoop, - for stderr; else",
      "                        ~/.stripeline/log/stripeline.log",
      "",
      "'stripeline COMMAND --help' describes a command. Results go to stdout, messages to stderr."
    })
public final class Stripeline implements Runnable {
  @Spec private CommandSpec spec;

  /**
   * Runs the command and ends the process with its exit status.
   *
   * @param arguments the command line
   */
  public static void main(String[] arguments) {
    // A hook also runs when a signal ends the command.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> HadoopLog.OfProcess.LOG.mention(System.err), "stripeline-log"));
    int status = commandLine().execute(arguments);
    if (System.out.checkError() && status == ExitStatus.SOUND) {
      System.err.println("Cannot write to standard output: it takes no more, or is closed");
      status = ExitStatus.UNCHECKED;
    }
    System.exit(status);
  }

  /**
   * Creates the complete command tree.
   *
   * @return a command line ready to execute
   */
  public static CommandLine commandLine() {
    CommandLine line = CommandStyle.commandLine(new Stripeline());
    BenchCommand.passOptionsOn(line.getSubcommands().get("bench"));
    HdfsCommand.passOptionsOn(line.getSubcommands().get("hdfs"));
    return line;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Cannot run: no command is named");
  }
}
