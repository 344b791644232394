// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stripeline doctor}. */
@Command(
    name = "doctor",
    description = {
      "Check that erasure coding is fast and correct on this machine, and report what to change if"
          + " not.",
      "",
      "Shows the processor's features and the kernels chosen for it, the file of the native"
          + " library, the releases of Hadoop and Java, the configuration in force, the pipelines"
          + " that serve erasure-coded files, the rails (coders on devices) of the engine, and for"
          + " each code the coder that Hadoop uses. Then verifies known answers, compares with"
          + " Hadoop's own coders and decodes every pattern of lost units.",
      "",
      "Run it as the user and with the HADOOP_CONF_DIR of the client or DataNode to check."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:No problem found; there may be warnings",
      "1:At least one problem found; each is listed with its remedy",
      "2:The command line cannot be carried out as given",
      "3:No problem found, but something could not be checked: the configuration cannot be read,"
          + " HDFS did not answer, or this user may not ask; or the file of --bundle could not be"
          + " written"
    })
public final class DoctorCommand implements Callable<Integer> {
  @Option(
      names = "--cluster",
      description =
          "Also check all NameNodes and live DataNodes: whether every NameNode accepts the added"
              + " erasure coding policies when it replays its edits, whether their keys agree;"
              + " agents, coders, kernels, free space and clocks of the DataNodes")
  private boolean cluster;

  @Option(names = "--strict", description = "Exit with status 1 if there are warnings, too")
  private boolean strict;

  @Option(
      names = "--bundle",
      arity = "0..1",
      paramLabel = "FILE",
      fallbackValue = "",
      description =
          "Also write a zip file for a bug report, without passwords, keys and tokens (default:"
              + " stripeline-doctor-DATE-TIME.zip in this directory)")
  private String bundle;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Path file = bundle == null ? null : Bundle.reserve(bundle);
    Doctor doctor = new Doctor();
    DoctorReport report;
    try {
      report = doctor.examine(System.getenv("HADOOP_CONF_DIR"), cluster);
    } catch (RuntimeException | Error e) {
      Bundle.giveUp(file);
      throw failure(ExitStatus.SOUND, e);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, report);
    } else {
      new ReportPrinter(out, Terminal::mark).print(report);
    }
    int status = status(report, strict);
    if (file == null) {
      return status;
    }
    try {
      new Bundle(doctor.configuration(), System.getenv()).write(file, report);
    } catch (RuntimeException | Error e) {
      Bundle.giveUp(file);
      throw failure(status, e);
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println("Wrote " + file + ": read it before you pass it on; it names hosts and paths");
    err.flush();
    return status;
  }

  /** Returns a failure that does not hide what was found before it. */
  private static CommandException failure(int found, Throwable e) {
    boolean isTold = e instanceof CommandException;
    int status = isTold ? ((CommandException) e).exitStatus() : ExitStatus.UNCHECKED;
    String message = isTold ? e.getMessage() : "Cannot continue: " + e;
    CommandException failure = new CommandException(ExitStatus.worse(found, status), message);
    failure.initCause(e);
    return failure;
  }

  /** Returns the exit status for the findings, which monitoring relies on. */
  static int status(DoctorReport report, boolean strict) {
    if (!report.problems.isEmpty() || strict && !report.warnings.isEmpty()) {
      return ExitStatus.FAILED;
    }
    return report.unchecked.isEmpty() ? ExitStatus.SOUND : ExitStatus.UNCHECKED;
  }
}
