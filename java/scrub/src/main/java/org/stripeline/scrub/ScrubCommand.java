// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.agent.Agents;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.terminal.AtSignal;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.TimeSpan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline scrub}. */
@Command(
    name = "scrub",
    description = {
      "Check that data and parity of erasure-coded files match, and the replicas of others.",
      "",
      "DataNodes with the agent read every block and return fingerprints, from which wrong blocks"
          + " are found although their checksums fit. Blocks on DataNodes without the agent are"
          + " sent to this client. Nothing is changed, and nothing is reported to the NameNode.",
      "Only superusers of HDFS can run it, because agents answer no others.",
      "",
      "Files are checked in the order of their last modification, the oldest first. What cannot be"
          + " checked, such as open files and blocks on DataNodes that do not answer, is reported"
          + " with the reason and never counts as healthy. Groups of files that are deleted or"
          + " replaced meanwhile are only counted. Ctrl-C or SIGTERM prints the sums so far."
    },
    parameterListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stripeline scrub /",
      "  stripeline scrub /data /logs --older-than=14d --rate-per-node=10MiB",
      "  stripeline scrub '/data/2024-*' --json"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Everything was checked, and nothing is damaged",
      "1:Something is damaged",
      "2:The command line cannot be carried out as given, the path is absent, or rights are"
          + " missing",
      "3:Not everything could be checked, and nothing that was checked is damaged",
      "130:Ended by Ctrl-C (143: by SIGTERM)"
    })
public final class ScrubCommand implements Callable<Integer> {
  private static final int GROUPS_MAX = 256;

  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description =
          "Files or directories on HDFS; globs are expanded, and what is below another PATH is left"
              + " out")
  private List<String> paths;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description =
          "Only files whose last modification was longer ago, such as 12h or 14d (default: all)")
  private String olderThan;

  @Option(
      names = "--rate-per-node",
      paramLabel = "SIZE",
      converter = ByteSize.RateConverter.class,
      description =
          "Bytes that each DataNode reads per second, such as 10MiB, at least 256KiB (default: the"
              + " limit of the DataNode, stripeline.agent.scrub.bandwidth; 20MiB without an agent)")
  private ByteSize rate;

  @Option(
      names = "--groups-at-once",
      paramLabel = "N",
      defaultValue = "8",
      description =
          "Groups that are checked at the same time, 1 to 256; a DataNode reads one block at a time"
              + " (default: ${DEFAULT-VALUE})")
  private int groupsAtOnce;

  @Option(
      names = "--json",
      description = "Print one JSON object per line: each group with findings, then the sums")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    long age = age();
    long bytesPerSecond = rate == null ? 0 : rate.bytes();
    if (rate != null && bytesPerSecond < FingerprintRequest.RATE_MIN) {
      throw usage("Cannot use --rate-per-node=" + rate + ": at least 256KiB are possible");
    }
    if (groupsAtOnce < 1 || groupsAtOnce > GROUPS_MAX) {
      throw usage(
          "Cannot use --groups-at-once=" + groupsAtOnce + ": 1 to " + GROUPS_MAX + " are possible");
    }
    try {
      return new Session().run(age, bytesPerSecond);
    } catch (RefusedException | FileNotFoundException | AccessControlException e) {
      throw new CommandException(ExitStatus.USAGE, Reasons.cannot("scrub", e));
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, Reasons.cannot("scrub", e));
    }
  }

  private long age() {
    try {
      return olderThan == null ? 0 : TimeSpan.millis("--older-than", olderThan);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** A class of its own because help works without Hadoop, whose classes this one needs. */
  private final class Session {
    int run(long age, long bytesPerSecond) throws IOException {
      Configuration conf = new HdfsConfiguration();
      ScrubTarget target = new ScrubTarget(spec, conf, "scrub");
      List<Path> roots = target.roots(paths);
      PrintWriter out = spec.commandLine().getOut();
      PrintWriter err = spec.commandLine().getErr();
      try (DistributedFileSystem fs = target.connect(roots.get(0));
          Agents agents = Agents.connect(fs.getConf());
          ScrubOutput output = new ScrubOutput(out, json, Progress.besideOutput(err))) {
        ClusterAccess cluster = new ClusterAccess(fs, agents, Ticker.SYSTEM);
        CheckSettings settings = new CheckSettings(new SecureRandom().nextLong(), bytesPerSecond);
        long modifiedMax = System.currentTimeMillis() - age;
        Rights.require(fs, agents, "scrub");
        ScrubRun run = new ScrubRun(fs, cluster, ScrubRun.checks(settings), groupsAtOnce, output);
        try (AtSignal signal = new AtSignal(() -> output.interrupted(run.totals()))) {
          ScrubTotals totals = run.run(roots, age == 0 ? Long.MAX_VALUE : modifiedMax);
          output.totals(totals);
          return totals.exitStatus();
        }
      }
    }
  }
}
