// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.scrub;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.stripeline.lab.bench.ClusterBenchOptions;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.lab.bench.io.IoSettings;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline bench scrub}. */
@Command(
    name = "scrub",
    description = {
      "Compare stripeline scrub with hdfs debug verifyEC, on an HDFS of this machine.",
      "",
      "Both check the same erasure-coded files in turn, each in a JVM of its own that is timed from"
          + " its start to its end. verifyEC takes one file at a time; it checks all files in one"
          + " JVM here. Every scrub must find all files healthy, by agents alone. At the end, one"
          + " block gets wrong data and valid checksums, and scrub must find it.",
      "",
      "Bytes on the network are those of the loopback interface. If root runs this and can create"
          + " networks, the run has one of its own; otherwise all other traffic of this machine"
          + " counts, too, and is not judged."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Measured",
      "1:A check failed or missed the damage; with --enforce, a threshold is missed",
      "2:The command line cannot be carried out as given",
      "3:Could not measure"
    })
public final class ScrubBenchCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;
  private static final int DATANODES_MAX = 200;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      defaultValue = "RS-6-3-1024k",
      description = "Policy of the files (default: ${DEFAULT-VALUE})")
  private String policy;

  @Option(
      names = "--datanodes",
      paramLabel = "N",
      defaultValue = "9",
      description = "DataNodes, each in its own rack (default: ${DEFAULT-VALUE})")
  private int datanodes;

  @Option(
      names = "--files",
      paramLabel = "N",
      defaultValue = "8",
      description = "Files (default: ${DEFAULT-VALUE})")
  private int files;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      defaultValue = "512MiB",
      converter = ByteSize.Converter.class,
      description = "Size of each file (default: ${DEFAULT-VALUE})")
  private ByteSize fileSize;

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      defaultValue = "3",
      description = "Timed repetitions (default: ${DEFAULT-VALUE})")
  private int repetitions;

  @Option(
      names = "--quick",
      description = "One repetition of 768 MiB: a functional test, times are not judged")
  private boolean quick;

  @Mixin private ClusterBenchOptions run;
  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public ScrubBenchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    ScrubSettings settings = settings();
    ScrubBenchReport report = new ScrubBenchReport();
    report.command = run.commandLine();
    return run.run(
        settings.ownNetwork,
        settings.bytesStored(),
        report,
        (place, progress) -> new ScrubBench(settings, place, progress, report).run());
  }

  private ScrubSettings settings() throws InterruptedException {
    ScrubSettings settings = new ScrubSettings();
    try {
      settings.policy = IoSettings.policy(policy);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    settings.datanodes = datanodes;
    settings.files = quick ? 2 : files;
    settings.fileBytes = quick ? 384 * MEBIBYTE : fileSize.bytes();
    settings.repetitions = quick ? 1 : repetitions;
    settings.quick = quick;
    int units = settings.policy.getNumDataUnits() + settings.policy.getNumParityUnits();
    if (datanodes < units || datanodes > DATANODES_MAX) {
      throw usage(
          "Cannot measure "
              + policy
              + " on "
              + datanodes
              + " DataNodes: "
              + units
              + " to "
              + DATANODES_MAX
              + " are possible");
    }
    if (settings.files < 1 || settings.fileBytes < MEBIBYTE || settings.repetitions < 1) {
      throw usage("Cannot measure: a file of 1 MiB and a repetition are the least");
    }
    try {
      settings.ownNetwork = PrivateNetwork.obstacle() == null;
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
    }
    return settings;
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
