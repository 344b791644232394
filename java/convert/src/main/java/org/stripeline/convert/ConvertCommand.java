// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.JsonLines;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.convert.report.TableText;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code stripeline convert} command. */
@Command(
    name = "convert",
    description = {
      "Turn replicated files into erasure-coded ones in place, or back.",
      "",
      "Without --execute it only shows what it would do. Each file stays readable under its path"
          + " during the conversion; its bytes are compared before the replicas are deleted, and"
          + " owner, permission, ACL, extended attributes, storage policy and times are kept. Open"
          + " files, files in snapshots and files that would not shrink are skipped, and the reason"
          + " is reported for each.",
      "",
      "Only superusers of HDFS can run it. --resume continues an interrupted job."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stripeline convert /data --policy=RS-6-3 --min-age=30d",
      "  stripeline convert /data --policy=RS-6-3 --min-age=30d --execute",
      "  stripeline convert '/data/2024-*' /logs --policy=RS-6-3 --execute",
      "  stripeline convert /data --resume",
      "  stripeline convert /data --undo --execute",
      "  stripeline convert --status",
      "  stripeline convert --pause --job=20261121-153155-db8f"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Done, or planned",
      "1:Some files could not be converted: each is listed and unchanged; or some were not"
          + " examined, because they had been renamed or deleted",
      "2:The command line or the cluster does not allow it; nothing was changed, or with --resume,"
          + " files in progress were finished or rolled back",
      "3:Could not check, because HDFS did not answer, or another process took the job over;"
          + " --resume continues the job if it had begun",
      "130, 143:Ended by Ctrl-C or SIGTERM; --resume continues the job if it had begun"
    })
public final class ConvertCommand implements Callable<Integer> {
  /** Options that are allowed with {@code --resume}; the job keeps its other settings. */
  private static final List<String> OF_RESUME =
      Arrays.asList(
          "--resume",
          "--throttle",
          "--files-at-once",
          "--groups-at-once",
          "--job",
          "--job-directory",
          "--json",
          "--keytab",
          "--principal",
          "-D");

  @Parameters(
      paramLabel = "PATH",
      arity = "0..*",
      description =
          "Files or directories on HDFS; globs are expanded there. One job for each, one after the"
              + " other; what is below another PATH belongs to the job of that")
  private List<String> paths;

  /** The path of the job that is being done. */
  private String path;

  private PathSequence sequence;

  /** What is known about the jobs of each file system. */
  private final Map<URI, KnownJobs> known = new HashMap<>();

  @Option(
      names = "--policy",
      paramLabel = "CODE",
      description =
          "Code, such as RS-6-3, RS-3-2, RS-10-4, RS-LEGACY-6-3 or XOR-2-1, or with the cell size"
              + " of copies, such as RS-6-3-1024k")
  private String policy;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      description =
          "striped: small cells, the default of HDFS; the bytes are copied. contiguous: cells of"
              + " the size of the file's blocks, of which one replica stays in place. auto: what"
              + " 'stripeline plan' prints with the same options, for each file (default:"
              + " contiguous, or striped with --cell-size)")
  private Layout layout;

  @Option(
      names = "--cell-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Cell size of copies (default: that of --policy if it has one, otherwise 1MiB)")
  private ByteSize cellSize;

  @Option(
      names = "--execute",
      description = "Convert the files; without this option, only the plan is shown")
  private boolean execute;

  @Option(
      names = "--dry-run",
      description = "Only show the plan, as without --execute; refused together with it")
  private boolean dryRun;

  @Option(
      names = "--resume",
      description =
          "Continue an interrupted job: finish or roll back files in progress, then convert the"
              + " rest")
  private boolean resume;

  @Option(names = "--undo", description = "Return files that this command converted to replication")
  private boolean undo;

  @ArgGroup(exclusive = false, validate = false, heading = "%nWhich files:%n")
  private RuleOptions ruleOptions = new RuleOptions();

  @ArgGroup(exclusive = false, validate = false, heading = "%nHow it is done:%n")
  private WorkOptions work = new WorkOptions();

  @ArgGroup(exclusive = true, multiplicity = "0..1", heading = "%nJobs of all drivers:%n")
  private ControlOptions control;

  @Option(
      names = "--json",
      description = "Print one JSON object per line on stdout, for each file and for the totals")
  private boolean json;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (control != null) {
      if (paths != null && paths.size() > 1) {
        throw usage("Cannot use " + control.name() + " for several paths: name one job with --job");
      }
      path = paths == null ? null : paths.get(0);
      return new Session().control();
    }
    if (paths == null) {
      throw usage("Missing required parameter: 'PATH'");
    }
    path = paths.get(0);
    settings();
    List<String> all = new Session().expand();
    if (all.size() > 1 && work.job != null) {
      throw usage(
          "Cannot use --job for "
              + all.size()
              + " paths: each has a job of its own; leave it out, or name one path");
    }
    for (String one : all) {
      path = one;
      settings();
    }
    sequence = new PathSequence(all);
    if (!execute && !resume) {
      return convertAll();
    }
    try (Interruption armed = new Interruption(sequence, this::advice, this::say)) {
      return convertAll();
    }
  }

  private int convertAll() {
    int status = ExitStatus.SOUND;
    while (sequence.next()) {
      path = sequence.path();
      if (!sequence.isOnly() && !json) {
        PrintWriter out = spec.commandLine().getOut();
        out.println((sequence.isFirst() ? "" : "\n") + path + ":");
        out.flush();
      }
      try {
        status = ExitStatus.worse(status, convert());
      } catch (CommandException e) {
        throw sequence.end(e, status, execute || resume);
      }
    }
    return status;
  }

  private int convert() {
    JobSettings settings = settings();
    PrintWriter err = spec.commandLine().getErr();
    JsonLines lines = new JsonLines(spec.commandLine().getOut());
    ProgressText shown =
        json
            ? new ProgressText(Progress.besideOutput(err), lines)
            : new ProgressText(Progress.onStandardError(err), JobObserver.NONE);
    sequence.shows(shown);
    return new Session().run(settings, shown, lines);
  }

  private void say(String text) {
    spec.commandLine().getErr().println(text);
    spec.commandLine().getErr().flush();
  }

  /** Returns how to continue a job, or null if none has begun. */
  private String advice(String job) {
    String name = job == null ? work.job : job;
    return job == null && !resume
        ? null
        : "Continue with: " + work.resumeCommand(path, name) + sequence.notBegun();
  }

  /** A class of its own because help works without Hadoop, whose classes this one needs. */
  private final class Session {
    int run(JobSettings settings, ProgressText shown, JsonLines lines) {
      HdfsConfiguration conf = new HdfsConfiguration();
      work.properties.forEach(conf::set);
      try (KeytabLogin login = login(conf);
          DistributedFileSystem fs = HdfsConnection.open(conf, new Path(path));
          Driver driver = driver(fs, shown)) {
        if (resume) {
          return report(() -> driver.resume(settings.path, work.job, tuning()), shown, lines);
        }
        if (!undo) {
          String why =
              layout != null ? "as given" : cellSize != null ? "for --cell-size" : "the default";
          say(Preflight.layoutText(settings, policy, why));
        }
        if (execute) {
          String name = work.job == null ? JobDirectory.newName() : work.job;
          return report(() -> driver.execute(settings, name), shown, lines);
        }
        return plan(driver, settings, shown, lines);
      } catch (RefusedException e) {
        throw new CommandException(ExitStatus.USAGE, e.getMessage() + sequence.notBegun());
      } catch (IOException e) {
        String advice = JournalLostException.isTakenOver(e) ? null : advice(shown.job());
        throw new CommandException(
            ExitStatus.UNCHECKED,
            Reasons.cannot("continue", e) + (advice == null ? sequence.notBegun() : "\n" + advice));
      }
    }

    private Driver driver(DistributedFileSystem fs, JobObserver shown) {
      KnownJobs jobs = known.computeIfAbsent(fs.getUri(), any -> new KnownJobs());
      return new Driver(fs, work.jobDirectory, shown, StepListener.NONE, jobs, Ticker.SYSTEM);
    }

    List<String> expand() {
      HdfsConfiguration conf = new HdfsConfiguration();
      work.properties.forEach(conf::set);
      boolean isGlob = paths.stream().anyMatch(PathArguments::isGlob);
      try (KeytabLogin login = isGlob ? login(conf) : null) {
        return PathArguments.expand(conf, paths);
      } catch (RefusedException e) {
        throw usage(e.getMessage());
      } catch (IOException e) {
        throw new CommandException(ExitStatus.UNCHECKED, Reasons.cannot("find the paths", e));
      }
    }

    int control() {
      requireOnly(
          ControlOptions.ALLOWED,
          "Cannot use " + control.name() + " with options of a conversion; leave ");
      HdfsConfiguration conf = new HdfsConfiguration();
      work.properties.forEach(conf::set);
      try (KeytabLogin login = login(conf);
          DistributedFileSystem fs =
              HdfsConnection.open(conf, new Path(path == null ? "/" : path))) {
        return new JobControl(fs, work.jobDirectory, spec.commandLine().getOut(), json)
            .run(control, work.job, path);
      } catch (RefusedException e) {
        throw new CommandException(ExitStatus.USAGE, e.getMessage());
      } catch (IOException e) {
        throw new CommandException(ExitStatus.UNCHECKED, Reasons.cannot("control jobs", e));
      }
    }

    /** Returns null if the user is already logged in. */
    private KeytabLogin login(HdfsConfiguration conf) throws IOException {
      return KeytabLogin.of(conf, work.principal, work.keytab);
    }
  }

  private int plan(Driver driver, JobSettings settings, ProgressText shown, JsonLines lines)
      throws IOException {
    Totals totals;
    try {
      totals = driver.plan(settings);
    } finally {
      shown.close();
    }
    Policies policies = driver.policies(settings);
    Map<String, String> steps =
        policies == null ? Collections.emptyMap() : policies.toDo(totals.codes.values());
    if (json) {
      lines.plan(totals, steps);
    } else {
      new TableText(spec.commandLine().getOut()).plan(settings, totals, steps);
    }
    if (policies != null) {
      policies.check(totals.codes.values(), shown);
    }
    if (!json) {
      boolean isRefused = settings.layout == Layout.STRIPED && !settings.allowStaleReaders;
      say(
          isRefused
              ? "Nothing was changed; --execute also needs --allow-stale-readers: "
                  + Preflight.STALE_READERS
                  + "."
              : "Nothing was changed; convert with --execute.");
    }
    return totals.vanished.isAny() ? ExitStatus.FAILED : ExitStatus.SOUND;
  }

  private interface Work {
    JobReport run() throws IOException;
  }

  private int report(Work job, ProgressText shown, JsonLines lines) throws IOException {
    long start = Ticker.SYSTEM.nanos();
    JobReport report;
    try {
      report = job.run();
      if (report.refusal() == null && !report.isOpen()) {
        sequence.ended();
      }
      shown.succeeded();
    } finally {
      shown.close();
    }
    double seconds = (Ticker.SYSTEM.nanos() - start) / 1e9;
    if (json) {
      lines.report(report, seconds);
    } else {
      new TableText(spec.commandLine().getOut()).report(report, seconds);
    }
    if (report.refusal() != null) {
      throw new CommandException(
          ExitStatus.USAGE,
          "Cannot continue job "
              + report.job()
              + ", of which everything else is settled as"
              + " shown: "
              + report.refusal());
    }
    return report.isComplete() ? ExitStatus.SOUND : ExitStatus.FAILED;
  }

  private JobTuning tuning() {
    try {
      return work.tuning();
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private JobSettings settings() {
    JobSettings settings = new JobSettings();
    settings.path = absolute(path);
    if (dryRun && execute) {
      throw usage("Cannot use --dry-run with --execute: leave one of them out");
    }
    settings.undo = undo;
    settings.rules = rules();
    settings.storagePolicy = work.storagePolicy;
    settings.allowRackLoss = work.allowRackLoss;
    settings.allowStaleReaders = work.allowStaleReaders;
    if (work.driver != null) {
      settings.driver = work.driver;
    }
    tuning().applyTo(settings);
    if (!work.jobDirectory.startsWith("/")) {
      throw usage("Cannot use --job-directory=" + work.jobDirectory + ": it must be absolute");
    }
    if (resume) {
      requireOnly(
          OF_RESUME,
          "Cannot resume with other settings: a job keeps those that it was begun with; leave ");
      return settings;
    }
    if (work.maxReplication != null) {
      if (!undo || work.maxReplication < 1) {
        throw usage(
            "Cannot use --max-replication="
                + work.maxReplication
                + ": it is for --undo, and at least 1");
      }
      settings.replicationMax = work.maxReplication;
    }
    if (undo) {
      if (policy != null || layout != null || cellSize != null) {
        throw usage("Cannot undo to a code: --undo takes no --policy, --layout or --cell-size");
      }
      return settings;
    }
    code(settings);
    return settings;
  }

  /** Refuses options that would be ignored; otherwise users would expect them to apply. */
  private void requireOnly(List<String> allowed, String message) {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!allowed.contains(option.longestName())) {
        throw usage(message + option.longestName() + " out");
      }
    }
  }

  private void code(JobSettings settings) {
    if (policy == null) {
      throw usage("Cannot convert: --policy is missing; name a code, such as --policy=RS-6-3");
    }
    if (layout == Layout.CONTIGUOUS && cellSize != null) {
      throw usage(
          "Cannot choose the cell of --layout=contiguous: it is each file's block size; leave it"
              + " out, or use --layout=striped");
    }
    CodeName request;
    try {
      Long cell = cellSize == null ? null : (Long) cellSize.bytes();
      request = CodeName.parse(policy, cell, 1 << 20);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    settings.policy = request.toString();
    Layout otherwise = cellSize == null ? Layout.CONTIGUOUS : Layout.STRIPED;
    settings.layout = layout == null ? otherwise : layout;
    settings.cellBytes = settings.stripes() ? request.cellBytes() : 0;
    if (settings.adopts() && settings.isMapped()) {
      throw usage(Preflight.NO_MAPS);
    }
  }

  private FileFilter rules() {
    try {
      return ruleOptions.filter();
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private String absolute(String text) {
    Path given = new Path(text);
    if (!given.toUri().getPath().startsWith("/")) {
      throw usage("Cannot convert " + text + ": name an absolute path");
    }
    return given.toUri().getPath();
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
