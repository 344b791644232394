// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.agent.Agents;
import org.stripeline.convert.LoginOptions;
import org.stripeline.natives.Ticker;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.access.HdfsRepair;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.scrub.check.GroupResult;
import org.stripeline.scrub.ledger.Ledger;
import org.stripeline.scrub.repair.GroupRepair;
import org.stripeline.scrub.repair.Trust;
import org.stripeline.terminal.AtSignal;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.TimeSpan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline repair}. */
@Command(
    name = "repair",
    description = {
      "Check files as scrub does, and have HDFS replace the replicas that are wrong.",
      "",
      "Without --execute this prints what would be replaced and changes nothing. With it, the agent"
          + " of each DataNode keeps the wrong replica in quarantine, the NameNode is told that it"
          + " is corrupt, HDFS rebuilds it from the others, and the group is checked again. A"
          + " record of each repair is written to a file on HDFS, and the results of all checks to"
          + " the ledger of scrubs.",
      "",
      "A group is left as it is if it is not certain which of its replicas are wrong, if not"
          + " everything else was checked, if more is wrong than parity can replace, or if so many"
          + " of the others may have been rebuilt that the wrong ones could be right. Only"
          + " superusers of HDFS can run this."
    },
    parameterListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stripeline repair /data/2024/table",
      "  stripeline repair /data/2024/table --execute",
      "  stripeline repair /data/2024/table/part-7 --trust-data --execute"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Nothing is damaged, or everything was repaired, and everything was checked",
      "1:Something is damaged and was not repaired",
      "2:The command line cannot be carried out as given, or the path is absent or not permitted",
      "3:Not everything could be checked, and nothing that was checked is damaged",
      "130:Ended by Ctrl-C (143: by SIGTERM); repairs that had begun are finished by HDFS"
    })
public final class RepairCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description =
          "Files or directories on HDFS; globs are expanded, and what is below another PATH is left"
              + " out")
  private List<String> paths;

  @Option(names = "--execute", description = "Repair; otherwise nothing is changed")
  private boolean execute;

  @Option(
      names = "--trust-data",
      description =
          "Replace the parity of groups whose blocks do not match and whose wrong blocks are not"
              + " known. Use it only if you have verified the data of the files named. A group is"
              + " left if one of its data blocks does not match; directories are refused")
  private boolean trustData;

  @Option(
      names = "--trust-others",
      description =
          "Replace blocks that do not match the others also where the others may have been rebuilt"
              + " from a wrong block, because they are younger or their age is not known. Use it"
              + " only if HDFS has rebuilt no block of PATH from a wrong one since its files were"
              + " written; blocks that were only moved do not matter")
  private boolean trustOthers;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "10m",
      description =
          "Time in which HDFS must have replaced the wrong replicas of a group (default:"
              + " ${DEFAULT-VALUE})")
  private String wait;

  @Option(
      names = "--audit-directory",
      paramLabel = "DIR",
      defaultValue = RepairAudit.DIRECTORY_DEFAULT,
      description = "Directory on HDFS for records (default: ${DEFAULT-VALUE})")
  private String auditDirectory;

  @Option(
      names = "--ledger",
      paramLabel = "DIR",
      defaultValue = Ledger.ROOT_DEFAULT,
      description =
          "Directory on HDFS with the ledger of scrubs. If another scrub or repair has it, the"
              + " results are not recorded in it, and a line on stderr says so (default:"
              + " ${DEFAULT-VALUE})")
  private String ledger;

  @Mixin private LoginOptions login = new LoginOptions();

  @Option(
      names = "--json",
      description =
          "Print one JSON object per line: each group with findings and what was done, then the"
              + " sums")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    long waitMillis;
    try {
      waitMillis = TimeSpan.millis("--wait", wait);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    return new Session().call(waitMillis);
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** A class of its own because help works without Hadoop, whose classes this one needs. */
  private final class Session {
    /** Groups that are checked at the same time. A repair waits for HDFS most of the time. */
    private static final int GROUPS_AT_ONCE = 8;

    private final SecureRandom random = new SecureRandom();
    private final CheckSettings settings = new CheckSettings(0, 0);
    private final ScrubTarget target = new ScrubTarget(spec, login, "repair");
    private Path audits;

    int call(long waitMillis) {
      return target.run(() -> run(waitMillis));
    }

    private int run(long waitMillis) throws IOException {
      List<Path> roots = target.roots(paths);
      Path ledgerDirectory = target.directory("--ledger", ledger);
      audits = target.directory("--audit-directory", auditDirectory);
      try (DistributedFileSystem fs = target.connect(roots.get(0));
          Agents agents = Agents.connect(fs.getConf())) {
        Rights.require(fs, agents, "repair");
        requireFiles(fs, roots);
        return repair(fs, agents, roots, ledgerDirectory, waitMillis);
      }
    }

    private int repair(
        DistributedFileSystem fs, Agents agents, List<Path> roots, Path directory, long waitMillis)
        throws IOException {
      Progress progress = Progress.besideOutput(spec.commandLine().getErr());
      try (RepairAudit audit = execute ? audit(fs) : null;
          Ledger opened = ledger(fs, directory, progress);
          LedgerAtSignal atSignal = new LedgerAtSignal(opened);
          ScrubOutput output = new ScrubOutput(spec.commandLine().getOut(), json, progress)) {
        ClusterAccess cluster = new ClusterAccess(fs, agents, Ticker.SYSTEM);
        ScrubRun.GroupWork work = work(cluster, audit, output, waitMillis);
        Selection all = everything(directory);
        ScrubRun run = new ScrubRun(fs, cluster, work, GROUPS_AT_ONCE, opened, all, output);
        try (AtSignal signal = new AtSignal(() -> output.interrupted(run.totals()))) {
          return run.runToEnd(roots, output, "repair");
        }
      }
    }

    private ScrubRun.GroupWork work(
        ClusterAccess cluster, RepairAudit audit, ScrubOutput output, long waitMillis) {
      return (path, number, group, calls, records) -> {
        GroupResult checked = new GroupCheck(group, settings(), calls).run();
        if (!checked.isDamaged()) {
          return checked;
        }
        // If this process is killed, or the last check is incomplete, the group counts as damaged.
        records.add(checked);
        HdfsRepair access =
            new HdfsRepair(
                cluster,
                group,
                () -> new GroupCheck(group, settings(), calls).run(),
                audit == null ? null : audit.of(path, number, checked));
        GroupRepair.End end = new GroupRepair(access, execute, trusts(), waitMillis).run(checked);
        output.repaired(path, number, checked, end.record());
        return end.result();
      };
    }

    /**
     * Returns the ledger; without {@code --execute}, or if another process has it, one that records
     * nothing: damage is not to be left until the end of a scrub that may take weeks.
     */
    private Ledger ledger(DistributedFileSystem fs, Path directory, Progress progress)
        throws IOException {
      Ledger opened = execute ? Ledger.openIfFree(fs, directory, Ticker.SYSTEM) : Ledger.none();
      if (opened != null) {
        return opened;
      }
      progress.print(
          "The ledger "
              + directory
              + " is not updated, because another scrub or repair has it: what is repaired counts"
              + " there as damaged until it is checked again");
      return Ledger.none();
    }

    /** Returns everything but the files of the ledger and of records, which are open. */
    private Selection everything(Path directory) {
      List<Path> leftOut = new ArrayList<>(Ledger.files(directory));
      leftOut.addAll(RepairAudit.files(audits));
      return new Selection(leftOut, Clock.systemUTC()::millis, 0, 0);
    }

    private RepairAudit audit(DistributedFileSystem fs) throws IOException {
      return RepairAudit.open(fs, audits, Clock.systemUTC(), Ticker.SYSTEM);
    }

    private Set<Trust> trusts() {
      Set<Trust> trusts = EnumSet.noneOf(Trust.class);
      if (trustData) {
        trusts.add(Trust.DATA);
      }
      if (trustOthers) {
        trusts.add(Trust.OTHERS);
      }
      return trusts;
    }

    /** Returns settings with a seed that cannot be known in advance. */
    private CheckSettings settings() {
      return settings.withSeed(random.nextLong());
    }

    private void requireFiles(DistributedFileSystem fs, List<Path> roots) throws IOException {
      if (!trustData) {
        return;
      }
      for (Path root : roots) {
        if (!fs.getFileStatus(root).isFile()) {
          throw usage("Cannot use --trust-data for " + root + ": name each file");
        }
      }
    }
  }
}
