// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Clock;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
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
import org.stripeline.convert.report.JsonLines;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Terminal;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "  stripeline convert --rules=rules.xml --execute --every=1h",
      "  stripeline convert --status",
      "  stripeline convert --pause --job=20261121-153155-db8f"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Done, or planned",
      "1:Some files could not be converted: each is listed, and unchanged unless its line says that"
          + " --resume is needed; or some were not examined, because they had been renamed or"
          + " deleted",
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

  /** The time of day; windows of rules are times of this machine. */
  static final Clock CLOCK = Clock.system(ZoneId.systemDefault());

  private static final String DRY_AND_EXECUTE =
      "Cannot use --dry-run with --execute: leave one of them out";

  @Parameters(
      paramLabel = "PATH",
      arity = "0..*",
      description =
          "Files or directories on HDFS; globs are expanded there. One job for each, one after the"
              + " other; a PATH below another PATH is part of the other one's job")
  private List<String> paths;

  /** The path of the job that is being done. */
  private String path;

  private PathSequence sequence;

  /** What is known about the jobs of each file system. */
  private final Map<URI, KnownJobs> known = new HashMap<>();

  @Mixin private CodeOptions code = new CodeOptions();

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

  @ArgGroup(exclusive = false, validate = false, heading = "%nRules of a file:%n")
  private ServiceOptions service = new ServiceOptions();

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
    if (service.file != null) {
      return rules();
    }
    if (service.withoutRules() != null) {
      throw usage("Cannot use " + service.withoutRules() + " without --rules");
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

  private int rules() {
    requireOnly(ServiceOptions.ALLOWED, "Cannot use --rules with options of its rules; leave ");
    if (dryRun && execute) {
      throw usage(DRY_AND_EXECUTE);
    }
    requireJobDirectory();
    if (service.explain != (paths != null)) {
      throw usage("Cannot use --rules: --explain needs a PATH, and nothing else takes one");
    }
    try {
      return new Session().serve(service.intervalMs(execute));
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private int convertAll() {
    int status = ExitStatus.SOUND;
    while (sequence.next()) {
      path = sequence.path();
      if (!sequence.isOnly() && !json) {
        PrintWriter out = spec.commandLine().getOut();
        out.println((sequence.isFirst() ? "" : "\n") + Terminal.oneLine(path) + ":");
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
    JsonLines lines = new JsonLines(spec.commandLine().getOut());
    ProgressText shown = progress(json ? lines : JobObserver.NONE);
    sequence.shows(shown);
    String layout = undo || resume ? null : code.layoutText(settings);
    return new Session().run(settings, layout, shown, lines, () -> false);
  }

  private ProgressText progress(JobObserver next) {
    PrintWriter err = spec.commandLine().getErr();
    return new ProgressText(
        json ? Progress.besideOutput(err) : Progress.onStandardError(err), next);
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
    private boolean isLoggedIn;

    int run(
        JobSettings settings,
        String layout,
        ProgressText shown,
        JsonLines lines,
        BooleanSupplier isOver) {
      HdfsConfiguration conf = conf();
      JobOutput output =
          new JobOutput(spec.commandLine(), shown, json ? lines : null, sequence::ended);
      try (KeytabLogin login = login(conf);
          DistributedFileSystem fs = HdfsConnection.open(conf, new Path(path));
          Driver driver = driver(fs, shown)) {
        if (resume) {
          return output.report(() -> driver.resume(settings.path, work.job, tuning()));
        }
        if (layout != null) {
          say(layout);
        }
        driver.beginUntil(isOver);
        if (execute) {
          String name = work.job == null ? JobDirectory.newName() : work.job;
          return output.report(() -> driver.execute(settings, name));
        }
        return output.plan(driver, settings);
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
      HdfsConfiguration conf = conf();
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
      HdfsConfiguration conf = conf();
      try (KeytabLogin login = login(conf);
          DistributedFileSystem fs =
              HdfsConnection.open(
                  conf, new Path(path == null ? "/" : path), "control the jobs of")) {
        return new JobControl(fs, work.jobDirectory, spec.commandLine().getOut(), json)
            .run(control, work.job, path);
      } catch (RefusedException e) {
        throw new CommandException(ExitStatus.USAGE, e.getMessage());
      } catch (IOException e) {
        throw new CommandException(ExitStatus.UNCHECKED, Reasons.cannot("control jobs", e));
      }
    }

    private HdfsConfiguration conf() {
      HdfsConfiguration conf = new HdfsConfiguration();
      work.properties.forEach(conf::set);
      if (service.file != null) {
        // Otherwise Hadoop closes the clients at once when a signal ends the process.
        conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
      }
      return conf;
    }

    /** Carries out or explains the rules of a file. */
    int serve(long intervalMs) {
      HdfsConfiguration conf = conf();
      try (KeytabLogin login = login(conf);
          DistributedFileSystem fs =
              HdfsConnection.open(conf, new Path("/"), "carry out rules on")) {
        isLoggedIn = login != null;
        if (service.explain) {
          RuleExplanation text =
              new RuleExplanation(fs, work.jobDirectory, RulesFile.read(service.file), CLOCK);
          for (String file : paths) {
            text.print(file, spec.commandLine().getOut());
          }
          return ExitStatus.SOUND;
        }
        ConversionService rules =
            new ConversionService(
                fs,
                service,
                work.jobDirectory,
                this::runRule,
                ConvertCommand.this::say,
                CLOCK,
                Ticker.SYSTEM);
        return execute ? rules.serve(intervalMs) : rules.plan();
      } catch (RefusedException e) {
        throw new CommandException(ExitStatus.USAGE, e.getMessage());
      } catch (IOException e) {
        throw new CommandException(
            ExitStatus.UNCHECKED, Reasons.cannot("carry out the rules of " + service.file, e));
      }
    }

    private int runRule(
        JobSettings settings, String layout, JobObserver observer, BooleanSupplier isOver) {
      path = settings.path;
      settings.properties.putAll(work.properties);
      sequence = new PathSequence(Collections.singletonList(path));
      sequence.next();
      JsonLines lines = new JsonLines(spec.commandLine().getOut(), observer);
      ProgressText shown = progress(json ? lines : observer);
      return run(settings, layout, shown, lines, isOver);
    }

    /** Returns null if the user is already logged in. */
    private KeytabLogin login(HdfsConfiguration conf) throws IOException {
      return isLoggedIn ? null : KeytabLogin.of(conf, work.login);
    }
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
      throw usage(DRY_AND_EXECUTE);
    }
    settings.undo = undo;
    settings.rules = filter();
    settings.storagePolicy = work.storagePolicy;
    settings.allowRackLoss = work.allowRackLoss;
    settings.allowStaleReaders = work.allowStaleReaders;
    if (work.driver != null) {
      settings.driver = work.driver;
    }
    tuning().applyTo(settings);
    requireJobDirectory();
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
      if (code.isAny()) {
        throw usage("Cannot undo to a code: --undo takes no --policy, --layout or --cell-size");
      }
      return settings;
    }
    try {
      code.applyTo(settings);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    return settings;
  }

  private void requireJobDirectory() {
    if (!work.jobDirectory.startsWith("/")) {
      throw usage("Cannot use --job-directory=" + work.jobDirectory + ": it must be absolute");
    }
  }

  /** Refuses options that would be ignored; otherwise users would expect them to apply. */
  private void requireOnly(List<String> allowed, String message) {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!allowed.contains(option.longestName())) {
        throw usage(message + option.longestName() + " out");
      }
    }
  }

  private FileFilter filter() {
    try {
      return ruleOptions.filter();
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
  }

  private String absolute(String text) {
    Path given = PathArguments.parse(text);
    if (!given.toUri().getPath().startsWith("/")) {
      throw usage("Cannot convert " + text + ": name an absolute path");
    }
    return given.toUri().getPath();
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
