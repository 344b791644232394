// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Paths;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.agent.Agents;
import org.stripeline.agent.FingerprintRequest;
import org.stripeline.convert.LoginOptions;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.terminal.AtSignal;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Terminal;
import org.stripeline.terminal.TimeSpan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "DataNodes with the agent read every block and return fingerprints, from which blocks with"
          + " wrong data and valid checksums are found. Blocks on DataNodes without the agent are"
          + " sent to this client. No file is changed, and nothing is reported to the NameNode.",
      "Only superusers of HDFS can run it, because agents answer no others.",
      "",
      "Files that were never checked come first, then those with the least recent check; among"
          + " equals the least recently modified one. What cannot be checked, such as open"
          + " files and blocks on DataNodes that do not answer, is reported with the reason and"
          + " never counts as healthy. Groups of files that are deleted or replaced during the run"
          + " are only counted.",
      "",
      "A ledger on HDFS records when each group was checked, and with which result. Ctrl-C or"
          + " SIGTERM prints the sums so far; the same command with --checked-before continues;"
          + " --status shows what has been checked."
    },
    parameterListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stripeline scrub /",
      "  stripeline scrub /data /logs --older-than=14d --rate-per-node=10MiB",
      "  stripeline scrub '/data/2024-*' --json",
      "  stripeline scrub / --checked-before=30d",
      "  stripeline scrub --status /data"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Everything was checked, and nothing is damaged; with --status, no damage is known",
      "1:Something is damaged",
      "2:The command line cannot be carried out as given, the path is absent, rights are missing,"
          + " or another scrub or repair has the ledger",
      "3:Not everything could be checked, and nothing that was checked is damaged",
      "130:Ended by Ctrl-C (143: by SIGTERM)"
    })
public final class ScrubCommand implements Callable<Integer> {
  private static final int GROUPS_MAX = 256;

  @Parameters(
      paramLabel = "PATH",
      arity = "0..*",
      description =
          "Files or directories on HDFS; globs are expanded, and what is below another PATH is left"
              + " out. Only with --status it may be absent, which means /")
  private List<String> paths = new ArrayList<>();

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description =
          "Only files whose last modification was longer ago, such as 12h or 14d (default: all)")
  private String olderThan;

  @Option(
      names = "--checked-before",
      paramLabel = "TIME",
      description =
          "Leave out groups that were found healthy within TIME, such as 30d; damaged and"
              + " incompletely checked ones are checked again (default: check all)")
  private String checkedBefore;

  @Option(
      names = "--rate-per-node",
      paramLabel = "SIZE",
      converter = ByteSize.RateConverter.class,
      description =
          "Bytes that each DataNode reads per second, at least 256KiB, such as 10MiB (default:"
              + " stripeline.agent.scrub.bandwidth of the DataNode; 20MiB without an agent)")
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
      names = "--ledger",
      paramLabel = "DIR",
      defaultValue = Ledger.ROOT_DEFAULT,
      description =
          "Directory on HDFS with the ledger; only one scrub or repair at a time can have it"
              + " (default: ${DEFAULT-VALUE})")
  private String ledger;

  @Option(
      names = "--status",
      description =
          "Check nothing, but show from the ledger what of PATH was checked within 1, 7 and 30"
              + " days, and what is damaged")
  private boolean status;

  @Option(
      names = "--prometheus",
      paramLabel = "FILE",
      description =
          "With --status, also write the numbers to a local file as metrics of Prometheus, for the"
              + " textfile collector of its node exporter")
  private String prometheus;

  @Mixin private LoginOptions login = new LoginOptions();

  @Option(
      names = "--json",
      description =
          "Print one JSON object per line: each group with findings, then the sums; with --status"
              + " one object")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (paths.isEmpty()) {
      if (!status) {
        throw usage("Missing required parameter: 'PATH...'");
      }
      paths.add("/");
    }
    if (prometheus != null && !status) {
      throw usage("Cannot use --prometheus without --status");
    }
    long bytesPerSecond = rate == null ? 0 : rate.bytes();
    if (rate != null && bytesPerSecond < FingerprintRequest.RATE_MIN) {
      throw usage("Cannot use --rate-per-node=" + rate + ": at least 256KiB are possible");
    }
    if (groupsAtOnce < 1 || groupsAtOnce > GROUPS_MAX) {
      throw usage(
          "Cannot use --groups-at-once=" + groupsAtOnce + ": 1 to " + GROUPS_MAX + " are possible");
    }
    long olderThanMs = millis("--older-than", olderThan);
    long checkedBeforeMs = millis("--checked-before", checkedBefore);
    return new Session().call(olderThanMs, checkedBeforeMs, bytesPerSecond);
  }

  private long millis(String option, String value) {
    try {
      return value == null ? 0 : TimeSpan.millis(option, value);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** A class of its own because help works without Hadoop, whose classes this one needs. */
  private final class Session {
    private final PrintWriter out = spec.commandLine().getOut();
    private final PrintWriter err = spec.commandLine().getErr();
    private final ScrubTarget target = new ScrubTarget(spec, login, "scrub");

    int call(long olderThanMs, long checkedBeforeMs, long bytesPerSecond) {
      return target.run(() -> run(olderThanMs, checkedBeforeMs, bytesPerSecond));
    }

    private int run(long olderThanMs, long checkedBeforeMs, long bytesPerSecond)
        throws IOException {
      List<Path> roots = target.roots(paths);
      Path directory = target.directory("--ledger", ledger);
      try (DistributedFileSystem fs = target.connect(roots.get(0))) {
        if (status) {
          return showStatus(fs, directory, roots);
        }
        Selection selection =
            new Selection(
                Ledger.files(directory), System::currentTimeMillis, olderThanMs, checkedBeforeMs);
        try (Agents agents = Agents.connect(fs.getConf())) {
          Rights.require(fs, agents, "scrub");
          return scrub(fs, agents, roots, directory, selection, bytesPerSecond);
        }
      }
    }

    private int scrub(
        DistributedFileSystem fs,
        Agents agents,
        List<Path> roots,
        Path directory,
        Selection selection,
        long bytesPerSecond)
        throws IOException {
      Progress progress = Progress.besideOutput(err);
      try (Ledger opened = Ledger.open(fs, directory, Ticker.SYSTEM, progress::print);
          LedgerAtSignal atSignal = new LedgerAtSignal(opened);
          ScrubOutput output = new ScrubOutput(out, json, progress)) {
        ClusterAccess cluster = new ClusterAccess(fs, agents, Ticker.SYSTEM);
        CheckSettings settings = new CheckSettings(new SecureRandom().nextLong(), bytesPerSecond);
        ScrubRun run =
            new ScrubRun(
                fs, cluster, ScrubRun.checks(settings), groupsAtOnce, opened, selection, output);
        try (AtSignal signal = new AtSignal(() -> output.interrupted(run.totals()))) {
          return run.runToEnd(roots, output, "scrub");
        }
      }
    }

    private int showStatus(DistributedFileSystem fs, Path directory, List<Path> roots)
        throws IOException {
      long now = System.currentTimeMillis();
      CoverageReport report =
          Coverage.of(
              fs,
              directory,
              roots,
              now,
              (path, why) -> err.println(Terminal.oneLine(path + ": " + why)));
      if (json) {
        OutputOptions.printJson(out, report);
      } else {
        CoverageText.print(report, out, now);
      }
      int unread = report.pathsUnread > 0 ? ExitStatus.UNCHECKED : ExitStatus.SOUND;
      int known = report.groupsDamaged > 0 ? ExitStatus.FAILED : unread;
      if (prometheus != null) {
        try {
          CoverageMetrics.write(report, now, Paths.get(prometheus));
        } catch (IOException e) {
          throw new CommandException(ExitStatus.worse(known, ExitStatus.UNCHECKED), e.getMessage());
        }
      }
      return known;
    }
  }
}
