// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.convert;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.ClusterBenchOptions;
import org.stripeline.lab.bench.io.IoSettings;
import org.stripeline.terminal.ByteSize;
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
      "Compare methods that convert replicated files to erasure coding, on an HDFS of this"
          + " machine.",
      "",
      "Methods: adopt (stripeline convert), adopt-ear (the same for files that EarPlacementPolicy"
          + " placed), striped (stripeline convert --layout=striped), cp and cp-4 (hdfs dfs -cp"
          + " into an erasure-coded directory, one and four files at a time, with our coder),"
          + " distcp (if it is on the class path), and hdfs-raid (what Facebook's HDFS-RAID did: a"
          + " task on each DataNode's host reads all data blocks of a stripe and writes parity"
          + " files; with --shaped) and hdfs-raid-ear (the same for files that EarPlacementPolicy"
          + " placed, with tasks in the rack that has all data blocks of a stripe). Each is a"
          + " command in a separate JVM, timed from its start to its end.",
      "",
      "New files are written for each; after the timed run, Hadoop's own client and coder read back"
          + " the converted files and compare every byte."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Measured",
      "1:A method failed or left a wrong byte; with --enforce, a threshold is missed",
      "2:The command line cannot be carried out as given",
      "3:Could not measure"
    })
public final class ConvertBenchCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;
  private static final int WRITES_MAX = 100;
  private static final int WRITES_BEFORE_MAX = 600;

  @Option(
      names = "--methods",
      paramLabel = "NAME",
      split = ",",
      description = "Methods to measure (default: adopt,striped,cp,cp-4,distcp; quick: adopt,cp)")
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
      description = "Racks of the DataNodes (default: ${DEFAULT-VALUE})")
  private int racks;

  @Option(
      names = "--replication",
      paramLabel = "N",
      defaultValue = "3",
      description = "Replicas of the files before conversion (default: ${DEFAULT-VALUE})")
  private int replication;

  @Option(
      names = "--block-size",
      paramLabel = "SIZE",
      defaultValue = "32MiB",
      converter = ByteSize.Converter.class,
      description = "Block size of the files (default: ${DEFAULT-VALUE})")
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
      description = "Connect every DataNode through a link of this rate in Mbit/s; requires root")
  private int linkMbit;

  @Option(
      names = "--shaped-racks",
      paramLabel = "MBIT",
      defaultValue = "0",
      description =
          "Connect every rack through a link of this rate; needs --shaped (default: a quarter of"
              + " it)")
  private int rackMbit;

  @Option(
      names = "--traffic",
      paramLabel = "MBIT",
      defaultValue = "0",
      description =
          "Have one DataNode of each pair send datagrams to the other at this rate in Mbit/s during"
              + " conversions; requires --shaped (default: ${DEFAULT-VALUE})")
  private int trafficMbit;

  @Option(
      names = "--writes",
      paramLabel = "RATE",
      defaultValue = "0",
      description =
          "Also write files of one block, which arrive at random at this rate per second, before"
              + " and during each conversion, and time them (default: ${DEFAULT-VALUE})")
  private double writesPerSecond;

  @Option(
      names = "--writes-before",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "How long they arrive before a conversion (default: ${DEFAULT-VALUE})")
  private double writesBeforeSeconds;

  @Option(
      names = "--quick",
      description = "One repetition of 12 MiB: a functional test, no threshold is checked")
  private boolean quick;

  @Mixin private ClusterBenchOptions run;
  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public ConvertBenchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    ConvertSettings settings = settings();
    ConvertReport report = new ConvertReport();
    report.command = run.commandLine();
    report.quick = quick;
    return run.run(
        settings.isShaped(),
        settings.bytesStored(),
        report,
        (place, progress) -> new ConvertBench(settings, place, progress, report).run());
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
    settings.trafficMbit = trafficMbit;
    settings.writesPerSecond = writesPerSecond;
    settings.writesBeforeSeconds = writesBeforeSeconds;
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
    if (rackMbit > 0 && linkMbit == 0) {
      throw usage("Cannot limit the links of racks alone: --shaped-racks needs --shaped");
    }
    int inOneRack = (datanodes + racks - 1) / racks;
    int most = Math.min(settings.linkMbit, settings.rackMbit / inOneRack);
    if (trafficMbit < 0 || trafficMbit > most) {
      throw usage(
          "Cannot use --traffic="
              + trafficMbit
              + ": the links of --shaped and --shaped-racks carry at most "
              + most
              + " Mbit/s from each DataNode");
    }
    if (!(writesPerSecond >= 0 && writesPerSecond <= WRITES_MAX)
        || !(writesBeforeSeconds >= 0 && writesBeforeSeconds <= WRITES_BEFORE_MAX)) {
      throw usage(
          "Cannot write at --writes="
              + writesPerSecond
              + " with --writes-before="
              + writesBeforeSeconds
              + ": they are from 0 to "
              + WRITES_MAX
              + " and "
              + WRITES_BEFORE_MAX);
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
