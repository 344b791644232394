// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
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
      "0:No problem found",
      "1:At least one problem found; each is listed with its remedy",
      "2:The command line cannot be carried out as given",
      "3:Could not check, because the configuration cannot be read or HDFS did not answer"
    })
public final class DoctorCommand implements Callable<Integer> {
  @Option(
      names = "--cluster",
      description =
          "Also check that every NameNode of the configuration accepts the added erasure coding"
              + " policies when it replays its edits")
  private boolean cluster;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    DoctorReport report = new Doctor().examine(System.getenv("HADOOP_CONF_DIR"), cluster);
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, report);
    } else {
      new ReportPrinter(out).print(report);
    }
    return report.problems.isEmpty() ? ExitStatus.SOUND : ExitStatus.FAILED;
  }
}
