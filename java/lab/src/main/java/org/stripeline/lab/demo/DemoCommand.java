// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.OutputOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline demo}. */
@Command(
    name = "demo",
    description = {
      "Shows the main job on a real HDFS and proves the result.",
      "",
      "Starts a cluster of its own, writes files through our coder and through Hadoop's Java coder,"
          + " kills DataNodes that hold data, reads every byte back and compares, lets empty"
          + " DataNodes rebuild what was lost, and checks the outcome on the disks, with hdfs fsck"
          + " and with hdfs debug verifyEC. Takes about two minutes; leaves nothing behind."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Every byte was right and everything was rebuilt",
      "1:Something was wrong, and is named",
      "2:The command line cannot be carried out as given",
      "3:Could not check, for want of space or a cluster"
    })
public final class DemoCommand implements Callable<Integer> {

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "256MiB",
      converter = ByteSize.Converter.class,
      description = "How much data to make, at least 16MiB (default: ${DEFAULT-VALUE})")
  private ByteSize size;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Use the files below this directory instead of making some")
  private Path data;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      defaultValue = "RS-6-3-1024k",
      description = "Erasure coding policy (default: ${DEFAULT-VALUE})")
  private String policy;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Repetitions of each timed step and coder (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Work in this new or empty directory (default: a temporary one)")
  private Path directory;

  @Option(
      names = "--keep",
      description = "Leave the files of the cluster, to be started with 'stripeline cluster'")
  private boolean keep;

  @Mixin private OutputOptions output;

  @Spec private CommandSpec spec;

  /** Made by the command line. */
  public DemoCommand() {}

  @Override
  public Integer call() {
    StripeShape shape = checkedShape();
    if (data == null && size.bytes() < DemoSettings.LEAST_BYTES) {
      throw usage("Cannot make data of " + size + ": --size must be 16MiB or more");
    }
    if (data != null && !Files.isDirectory(data)) {
      throw usage("Cannot use --data=" + data + ": it is not a directory");
    }
    if (rounds < 1) {
      throw usage("Cannot repeat steps " + rounds + " times: --rounds must be 1 or more");
    }
    DemoSettings settings =
        new DemoSettings(shape, Contestant.usualCoders(shape), size.bytes(), data, rounds);
    DemoReport report = new DemoReport();
    int status =
        new DemoRunner(settings, Progress.onStandardError(), report)
            .run(directory, keep ? Workplace.AtEnd.KEEP : Workplace.AtEnd.DELETE);
    if (status != DemoRunner.INTERRUPTED) {
      print(report);
    }
    return status;
  }

  private void print(DemoReport report) {
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      OutputOptions.printJson(out, report);
    } else {
      out.print(report.render());
    }
    out.flush();
  }

  private StripeShape checkedShape() {
    try {
      return StripeShape.ofPolicy(policy);
    } catch (DemoException e) {
      throw usage(e.getMessage());
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
