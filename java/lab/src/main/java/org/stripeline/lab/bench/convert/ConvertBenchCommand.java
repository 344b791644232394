// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.cluster.PrivateNetwork;
import org.stripeline.lab.bench.io.IoSettings;
import org.stripeline.lab.cluster.WorkDirectory;
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

/** {@code stripeline bench convert}. */
@Command(
    name = "convert",
    description = {
      "Measure ways from replication to erasure coding on an HDFS of this machine, side by side.",
      "",
      "Ways: adopt (stripeline convert), adopt-ear (the same of files that EarPlacementPolicy"
          + " placed), striped (stripeline convert --layout=striped), cp and cp-4 (hdfs dfs -cp"
          + " into an erasure-coded directory, one and four files at a time, with our coder),"
          + " distcp (if it is on the class path). Each is a command in a JVM of its own, timed"
          + " from its start to its end.",
      "",
      "Files are written anew for each; what a way has made is read back and compared byte for byte"
          + " by Hadoop's own client and coder, out of the time."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Measured",
      "1:A way failed or left a wrong byte; with --enforce, a threshold is missed",
      "2:The command line cannot be carried out as given",
      "3:Could not measure"
    })
public final class ConvertBenchCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;

  @Option(
      names = "--ways",
      paramLabel = "NAME",
      split = ",",
      description =
          "Those that take part (default: adopt,striped,cp,cp-4,distcp; quick:" + " adopt,cp)")
  private List<String> methods = new ArrayList<>();

  @Option(
      names = "--codes",
      paramLabel = "CODE",
      split = ",",
      defaultValue = "RS-6-3",
      description = "Codes, such as RS-6-3 or RS-10-2 (default: ${DEFAULT-VALUE})")
  private List<String> codes = new ArrayList<>();

  @Option(
      names = "--datanodes",
      paramLabel = "N",
      defaultValue = "12",
      description = "DataNodes (default: ${DEFAULT-VALUE})")
  private int datanodes;

  @Option(
      names = "--racks",
      paramLabel = "N",
      defaultValue = "6",
      description = "Racks that they are spread over (default: ${DEFAULT-VALUE})")
  private int racks;

  @Option(
      names = "--replication",
      paramLabel = "N",
      defaultValue = "3",
      description = "Replicas of the files before (default: ${DEFAULT-VALUE})")
  private int replication;

  @Option(
      names = "--block-size",
      paramLabel = "SIZE",
      defaultValue = "32MiB",
      converter = ByteSize.Converter.class,
      description = "Their block size (default: ${DEFAULT-VALUE})")
  private ByteSize blockSize;

  @Option(
      names = "--files",
      paramLabel = "N",
      defaultValue = "4",
      description = "Files (default: ${DEFAULT-VALUE})")
  private int files;

  @Option(
      names = "--groups",
      paramLabel = "N",
      defaultValue = "1",
      description = "Full block groups of each file (default: ${DEFAULT-VALUE})")
  private int groups;

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      defaultValue = "5",
      description = "Timed repetitions (default: ${DEFAULT-VALUE})")
  private int repetitions;

  @Option(
      names = "--shaped",
      paramLabel = "MBIT",
      defaultValue = "0",
      description = "Put every DataNode behind a link of this rate in Mbit/s; takes root")
  private int linkMbit;

  @Option(
      names = "--shaped-racks",
      paramLabel = "MBIT",
      defaultValue = "0",
      description = "And every rack behind one of this rate (default: a quarter of --shaped)")
  private int rackMbit;

  @Option(
      names = "--quick",
      description = "One repetition, 12 MiB: shows that all works and judges nothing")
  private boolean quick;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Work in this new or empty directory, best in memory such as /dev/shm/bench"
              + " (default: a temporary one)")
  private Path directory;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = "Write convert.json and convert.txt there")
  private Path record;

  @Option(names = "--enforce", description = "Exit with 1 if a threshold is missed")
  private boolean enforce;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public ConvertBenchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    ConvertSettings settings = settings();
    try {
      if (settings.isShaped()) {
        OptionalInt status = PrivateNetwork.enter(spec.root());
        if (status.isPresent()) {
          return status.getAsInt();
        }
      }
      try (WorkDirectory place = WorkDirectory.open(directory, WorkDirectory.AtEnd.DELETE)) {
        return measure(settings, place);
      }
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
    }
  }

  /** Returns the complete command line as given. */
  private List<String> commandLine() {
    return spec.root().commandLine().getParseResult().originalArgs();
  }

  private int measure(ConvertSettings settings, WorkDirectory place) throws IOException {
    place.requireSpace(settings.bytesStored());
    Files.createDirectories(place.data());
    ConvertReport report = new ConvertReport();
    report.command = "stripeline " + String.join(" ", commandLine());
    report.quick = quick;
    try {
      new ConvertBench(settings, place, spec.commandLine().getErr(), report).run();
    } catch (IOException | RuntimeException e) {
      if (report.samples.isEmpty()) {
        throw e;
      }
      // Earlier measurements have taken time, so they are shown.
      report.failures.add("the run ended early: " + e.getMessage());
    }
    report.conclude();
    StringWriter json = new StringWriter();
    OutputOptions.printJson(new PrintWriter(json), report);
    if (record != null) {
      report.record(record, json.toString().trim());
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(output.isJson() ? json.toString() : new ConvertTable(report).render());
    out.flush();
    return report.isSound(enforce) ? ExitStatus.SOUND : ExitStatus.FAILED;
  }

  private ConvertSettings settings() {
    ConvertSettings settings = new ConvertSettings();
    try {
      for (String method : methods.isEmpty() ? (quick ? QUICK_METHODS : METHODS) : methods) {
        settings.methods.add(ConversionMethod.parse(method));
      }
      for (String code : codes) {
        settings.policies.add(IoSettings.policy(code + "-1024k"));
      }
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    settings.datanodes = datanodes;
    settings.racks = racks;
    settings.replication = replication;
    settings.blockBytes = quick ? MEBIBYTE : blockSize.bytes();
    settings.files = quick ? 2 : files;
    settings.groups = groups;
    settings.repetitions = quick ? 1 : repetitions;
    settings.linkMbit = linkMbit;
    settings.rackMbit = rackMbit == 0 ? (linkMbit + 3) / 4 : rackMbit;
    check(settings);
    return settings;
  }

  private static final List<String> QUICK_METHODS = Arrays.asList("adopt", "cp");
  private static final List<String> METHODS =
      Arrays.asList("adopt", "striped", "cp", "cp-4", "distcp");

  private void check(ConvertSettings settings) {
    if (settings.racks < 1
        || settings.racks > settings.datanodes
        || settings.datanodes > 200
        || settings.replication < 1
        || settings.files < 1
        || settings.groups < 1
        || settings.repetitions < 1
        || settings.linkMbit < 0
        || settings.rackMbit < 0) {
      throw usage(
          "Cannot measure: numbers must be positive, with at most 200 DataNodes and a DataNode for"
              + " each rack");
    }
    if (settings.blockBytes % MEBIBYTE != 0 || settings.blockBytes < MEBIBYTE) {
      throw usage(
          "Cannot use --block-size="
              + blockSize
              + ": whole MiB are needed, so that files for both"
              + " layouts have full cells");
    }
    for (ErasureCodingPolicy policy : settings.policies) {
      int units = policy.getNumDataUnits() + policy.getNumParityUnits();
      if (units > settings.datanodes) {
        throw usage(
            "Cannot measure "
                + ConvertSettings.code(policy)
                + " on "
                + settings.datanodes
                + " DataNodes: it needs "
                + units);
      }
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
