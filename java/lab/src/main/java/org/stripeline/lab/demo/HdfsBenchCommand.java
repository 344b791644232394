// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline bench hdfs}. */
@Command(
    name = "hdfs",
    description = {
      "Measure writing and reading of erasure coded files on an HDFS of this machine.",
      "",
      "Compares writing through our coder with Hadoop's Java coder and, where it is on the class"
          + " path, with a coder that codes nothing; and reading with and without dead DataNodes."
          + " A directory in memory (--dir=/dev/shm/bench) keeps the disk out of the figures."
    })
public final class HdfsBenchCommand implements Callable<Integer> {

  /** What is on the disks at once: one file with its parity, and as much again to spare. */
  private static final int SPACE_FACTOR = 3;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "512MiB",
      converter = ByteSize.Converter.class,
      description = "Size of the file of each round (default: ${DEFAULT-VALUE})")
  private ByteSize size;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "7",
      description = "Timed repetitions of each variant, after two that are not (default:"
          + " ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      defaultValue = "RS-6-3-1024k",
      description = "Erasure coding policy (default: ${DEFAULT-VALUE})")
  private String policy;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Work in this new or empty directory (default: a temporary one)")
  private Path directory;

  @Mixin private OutputOptions output;

  @Spec private CommandSpec spec;

  /** Made by the command line. */
  public HdfsBenchCommand() {}

  @Override
  public Integer call() {
    StripeShape shape;
    try {
      shape = StripeShape.ofPolicy(policy);
    } catch (DemoException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
    if (rounds < 1 || size.bytes() < shape.stripeBytes()) {
      throw new ParameterException(
          spec.commandLine(),
          "Cannot measure " + rounds + " rounds of " + size
              + ": it takes --rounds of 1 or more and --size of a stripe or more");
    }
    try (Workplace place = Workplace.open(directory, Workplace.AtEnd.DELETE)) {
      return measure(shape, place);
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
    }
  }

  private int measure(StripeShape shape, Workplace place) throws IOException {
    place.requireSpace(SPACE_FACTOR * size.bytes());
    DemoCluster cluster = place.add(new DemoCluster(place.cluster()));
    cluster.start(shape.units());
    HdfsBench bench =
        new HdfsBench(shape, size.bytes(), rounds, cluster, Progress.onStandardError());
    HdfsBenchReport report;
    try {
      report = bench.run(place);
    } catch (DemoException e) {
      throw new CommandException(ExitStatus.FAILED, e.getMessage());
    }
    if (output.isJson()) {
      OutputOptions.printJson(spec.commandLine().getOut(), report);
    } else {
      spec.commandLine().getOut().print(report.render());
      spec.commandLine().getOut().flush();
    }
    return ExitStatus.SOUND;
  }
}
