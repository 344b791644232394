// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.stripeline.lab.bench.ClusterBenchOptions;
import org.stripeline.terminal.ByteSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline bench io}. */
@Command(
    name = "io",
    description = {
      "Compare coders and client pipelines on an HDFS of this machine, or on a running cluster.",
      "",
      "Contestants: 3-rep, 4-rep; rs_java, rs-legacy_java, isal, noop and coder (ours) in Hadoop's"
          + " own pipeline; isal-1m and coder-1m with packets of 1 MiB; our pipelines in their"
          + " modes blocking, non-blocking and functional-partitioned, and the last one with hflush"
          + " that only warns (not-durable), over an engine that computes nothing (umr-noop), over"
          + " one with a rail beside the CPUs (umr-single), and with that rail and the CPUs"
          + " (umr-multi). Each has separate client JVMs on one cluster; they run alternately"
          + " within each repetition. Those that differ only in writing do not read. isal is this"
          + " bench's own wrapper, by JNA, of the machine's libisal.so.2 (Debian's libisal2: ISA-L"
          + " 2.30), not Hadoop's rs_native.",
      "",
      "Operations: write, read, pread (large positional reads), random (small positional reads);"
          + " the last three also with dead DataNodes (-dead1, -dead2 ...) or with one that hangs"
          + " (-hung), and with this machine's page cache emptied before (read-cold; needs root and"
          + " files on a disk); each also while others keep all processors busy (write-busy)."
          + " 3-rep, 4-rep and functional-partitioned also: sync (write and hflush 1 KiB, 2,000"
          + " times in all files together; the first of each file does not count) and first-sync"
          + " (create a file, write and hflush 1 MiB; 40 times in all).",
      "",
      "Hadoop's own reader reads back every byte written; timed reads compare 8 bytes of each 4"
          + " KiB, warm-up reads and random reads compare every byte."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Measured",
      "1:Our coder or one of our pipelines failed, read a wrong byte or was not used, or the run"
          + " ended early; with --enforce, a threshold is missed",
      "2:The command line cannot be carried out as given",
      "3:Could not measure"
    })
public final class IoBenchCommand implements Callable<Integer> {
  private static final long MEBIBYTE = 1L << 20;

  @Option(
      names = "--contestants",
      paramLabel = "NAME",
      split = ",",
      description =
          "Contestants to measure (default: all; quick: rs_java,coder,functional-partitioned)")
  private List<String> contestants = new ArrayList<>();

  @Option(
      names = "--operations",
      paramLabel = "NAME",
      split = ",",
      description =
          "Operations to measure (default:"
              + " write,read,pread,random,read-dead1,read-dead2,read-dead3,random-dead2; shaped:"
              + " write,read; on a running cluster: write,read,pread,random)")
  private List<String> operations = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "Threads of each client, each with its own file (default: 1; full: 1,5,10,20)")
  private List<Integer> threads = new ArrayList<>();

  @Option(
      names = "--policies",
      paramLabel = "NAME",
      split = ",",
      description =
          "Erasure coding policies (default: RS-6-3-1024k; full: RS-6-3-64k,"
              + "RS-6-3-1024k,RS-10-4-1024k)")
  private List<String> policies = new ArrayList<>();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "768MiB",
      converter = ByteSize.Converter.class,
      description = "Bytes of one operation, total of all threads (default: ${DEFAULT-VALUE})")
  private ByteSize size;

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      defaultValue = "3",
      description = "Timed repetitions in each JVM (default: ${DEFAULT-VALUE})")
  private int repetitions;

  @Option(
      names = "--jvms",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "JVMs of each contestant, one after the other: the rate of rs_java varies by a factor of"
              + " two between JVMs (default: ${DEFAULT-VALUE})")
  private int jvms;

  @Option(
      names = "--random-reads",
      paramLabel = "N",
      defaultValue = "8000",
      description = "Reads of a random operation, total of all threads (default: ${DEFAULT-VALUE})")
  private int randomReads;

  @Option(
      names = "--random-size",
      paramLabel = "SIZE",
      defaultValue = "64KiB",
      converter = ByteSize.Converter.class,
      description = "Bytes of one random read (default: ${DEFAULT-VALUE})")
  private ByteSize randomSize;

  @Option(
      names = "--shaped",
      paramLabel = "MBIT",
      split = ",",
      description =
          "Connect every DataNode through a link of this rate in Mbit/s, one run for each rate;"
              + " requires root")
  private List<Integer> rates = new ArrayList<>();

  @Option(
      names = "--client-link",
      paramLabel = "MBIT",
      description =
          "Connect the clients through one link of this rate in Mbit/s, which all their streams"
              + " share; needs --shaped (default: no limit)")
  private int clientMbit = IoSettings.LOOPBACK;

  @Option(
      names = "--delay",
      paramLabel = "MICROSECONDS",
      defaultValue = "0",
      description =
          "Delay of those links in each direction; needs --shaped (default: ${DEFAULT-VALUE})")
  private int delayMicros;

  @Option(
      names = "--rail",
      paramLabel = "NAME",
      defaultValue = DeviceRail.DEFAULT,
      description =
          "The rail of umr-single and umr-multi, as stripeline.engine.rails names it: cuda or"
              + " plugin:PATH (default: ${DEFAULT-VALUE})")
  private String rail;

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description =
          "Measure on the running cluster of this configuration directory, instead of on an HDFS"
              + " of this machine: without dead or hung DataNodes, with policies that are enabled"
              + " there; needs --path")
  private Path configuration;

  @Option(
      names = "--path",
      paramLabel = "PATH",
      description =
          "HDFS directory on that cluster; files are in a new directory in it, which is deleted at"
              + " the end")
  private String parent;

  @Option(names = "--full", description = "Measure all combinations, which takes hours")
  private boolean full;

  @Option(
      names = "--quick",
      description = "One JVM, one repetition of 24 MiB: a functional test, no threshold is checked")
  private boolean quick;

  @Option(
      names = "--access-patterns",
      description = {
        "Instead of times, count the bytes that DataNodes read for the access patterns of HBase,"
            + " Parquet, ORC and Accumulo, by Hadoop's client and by ours, with 0, 1 and 2 dead"
            + " DataNodes",
        "(policies: RS-6-3-64k,RS-6-3-1024k; quick: RS-6-3-64k)"
      })
  private boolean accessPatterns;

  @Mixin private ClusterBenchOptions run;
  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public IoBenchCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    IoSettings settings = settings();
    IoReport report = new IoReport();
    report.command = run.commandLine();
    report.bytes = settings.bytes;
    report.repetitions = settings.repetitions;
    report.jvms = settings.jvms;
    report.quick = quick;
    report.clientMbit = settings.clientMbit;
    report.isExisting = configuration != null;
    if (report.isExisting && run.isEnforced()) {
      throw usage("Cannot use --enforce with --conf: the thresholds are for this machine's HDFS");
    }
    report.datanodes = configuration == null ? settings.datanodes() : null;
    return run.run(
        settings.isShaped(),
        configuration == null ? diskBytes(settings) : 0,
        report,
        (place, progress) -> {
          if (accessPatterns) {
            new AccessBench(settings, place, progress, report).run();
          } else {
            new IoBench(settings, place, progress, report).run();
          }
        });
  }

  private long diskBytes(IoSettings settings) {
    return accessPatterns ? AccessBench.DISK_BYTES : ResourceNeed.diskBytes(settings);
  }

  private IoSettings settings() {
    IoSettings settings = new IoSettings();
    try {
      for (String name : given(contestants, quick ? QUICK_CONTESTANTS : allContestants())) {
        settings.contestants.add(IoContestant.parse(name));
      }
      for (String name : given(operations, operations())) {
        settings.operations.add(Operation.parse(name));
      }
      for (String name : given(policies, policies())) {
        settings.policies.add(IoSettings.policy(name));
      }
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    settings.threads = given(threads, full ? FULL_THREADS : Collections.singletonList(1));
    settings.rates = given(rates, Collections.singletonList(IoSettings.LOOPBACK));
    settings.clientMbit = clientMbit;
    settings.delayMicros = delayMicros;
    settings.configuration = configuration;
    settings.configuredParent = parent;
    settings.rail = rail;
    settings.bytes = quick ? 24 * MEBIBYTE : size.bytes();
    settings.repetitions = quick ? 1 : repetitions;
    settings.jvms = quick ? 1 : jvms;
    settings.randomReads = quick ? 40 : randomReads;
    settings.randomBytes = (int) Math.min(Integer.MAX_VALUE >> 1, randomSize.bytes());
    settings.syncs = quick ? 20 : 2000;
    settings.firstSyncs = quick ? 2 : 40;
    // With slow links there is enough time to compile during a short warm-up.
    boolean brief = quick || settings.isShaped();
    settings.warmUps = brief ? 1 : 2;
    settings.warmUpBytes = Math.min(settings.bytes, (brief ? 24 : 256) * MEBIBYTE);
    check(settings);
    return settings;
  }

  private static <T> List<T> given(List<T> given, List<T> otherwise) {
    return given.isEmpty() ? otherwise : given;
  }

  private List<String> operations() {
    if (accessPatterns) {
      return Collections.emptyList();
    }
    if (configuration != null) {
      return HEALTHY_OPERATIONS;
    }
    return rates.isEmpty() ? OPERATIONS : SHAPED_OPERATIONS;
  }

  private List<String> policies() {
    if (accessPatterns) {
      return quick ? QUICK_ACCESS_POLICIES : ACCESS_POLICIES;
    }
    return full ? FULL_POLICIES : POLICIES;
  }

  private static final List<String> ACCESS_POLICIES = Arrays.asList("RS-6-3-64k", "RS-6-3-1024k");
  private static final List<String> QUICK_ACCESS_POLICIES = Collections.singletonList("RS-6-3-64k");
  private static final List<String> QUICK_CONTESTANTS =
      Arrays.asList("rs_java", "coder", "functional-partitioned");
  private static final List<String> OPERATIONS =
      Arrays.asList(
          "write",
          "read",
          "pread",
          "random",
          "read-dead1",
          "read-dead2",
          "read-dead3",
          "random-dead2");
  private static final List<String> HEALTHY_OPERATIONS = OPERATIONS.subList(0, 4);
  private static final List<String> SHAPED_OPERATIONS = Arrays.asList("write", "read");
  private static final List<String> POLICIES = Collections.singletonList("RS-6-3-1024k");
  private static final List<String> FULL_POLICIES =
      Arrays.asList("RS-6-3-64k", "RS-6-3-1024k", "RS-10-4-1024k");
  private static final List<Integer> FULL_THREADS = Arrays.asList(1, 5, 10, 20);

  /** Returns the names of all contestants but the one that only tests want. */
  static List<String> allContestants() {
    List<String> names = new ArrayList<>();
    for (IoContestant contestant : IoContestant.values()) {
      if (contestant != IoContestant.WRONG_PARITY) {
        names.add(contestant.label());
      }
    }
    return names;
  }

  private void check(IoSettings settings) {
    int least = Collections.min(settings.threads);
    if (least < 1
        || settings.bytes < 1
        || settings.repetitions < 1
        || settings.jvms < 1
        || settings.randomReads < 1
        || settings.randomBytes < 1
        || clientMbit < 0
        || delayMicros < 0
        || (!rates.isEmpty() && Collections.min(rates) < 1)) {
      throw usage("Cannot measure: all numbers and sizes must be positive");
    }
    boolean names = !operations.isEmpty() || !contestants.isEmpty() || !threads.isEmpty();
    if (accessPatterns && (names || settings.isShaped())) {
      throw usage(
          "Cannot count access patterns together with --operations, --contestants, --threads or"
              + " --shaped: omit them");
    }
    if ((clientMbit > 0 || delayMicros > 0) && !settings.isShaped()) {
      throw usage("Cannot limit or delay links: --client-link and --delay need --shaped");
    }
    int mostDead = accessPatterns ? AccessBench.DEAD_MAX : settings.mostDead();
    for (ErasureCodingPolicy policy : settings.policies) {
      if (mostDead > policy.getNumParityUnits()) {
        throw usage(
            "Cannot measure with "
                + mostDead
                + " dead DataNodes: "
                + policy.getName()
                + " tolerates "
                + policy.getNumParityUnits());
      }
    }
    if ((configuration == null) != (parent == null)) {
      throw usage("Cannot measure on a running cluster: --conf and --path need each other");
    }
    if (parent != null && !parent.startsWith("/")) {
      throw usage("Cannot use --path=" + parent + ": it is no absolute path of HDFS");
    }
    boolean needsOwn =
        accessPatterns || settings.isShaped() || settings.mostDead() > 0 || settings.hasHung();
    if (configuration != null && needsOwn) {
      throw usage(
          "Cannot measure on a running cluster with --access-patterns, --shaped, or dead or hung"
              + " DataNodes: leave out --conf");
    }
    if (settings.isShaped() && (settings.mostDead() > 0 || settings.hasHung())) {
      throw usage("Cannot measure dead or hung DataNodes on a shaped network: leave out --shaped");
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
