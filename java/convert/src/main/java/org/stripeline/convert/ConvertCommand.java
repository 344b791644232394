// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.convert.job.HdfsConnection;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.JsonLines;
import org.stripeline.convert.report.ProgressText;
import org.stripeline.convert.report.TableText;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.select.Policies;
import org.stripeline.convert.select.Preflight;
import org.stripeline.convert.settings.DriverKind;
import org.stripeline.convert.settings.FileFilter;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.Layout;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
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
          + " all the time; its bytes are compared before the replicas go, and owner, permission,"
          + " ACL, extended attributes, storage policy and times are kept. What is open, in a"
          + " snapshot or would not get smaller is left alone, each with its reason.",
      "",
      "Only superusers of HDFS can run it. A job that was interrupted in whatever way is taken up"
          + " with --resume."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stripeline convert /data --policy=RS-6-3 --min-age=30d",
      "  stripeline convert /data --policy=RS-6-3 --min-age=30d --execute",
      "  stripeline convert /data --resume",
      "  stripeline convert /data --undo --execute"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Done, or planned",
      "1:Some files could not be converted, each is listed and is as it was; or some were not"
          + " looked at, as they were renamed or deleted before",
      "2:The command line or the cluster does not allow it; nothing was touched, or with --resume"
          + " what was begun is settled",
      "3:Could not check, because HDFS did not answer; --resume takes the job up if it had begun"
    })
public final class ConvertCommand implements Callable<Integer> {
  private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

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

  @Parameters(paramLabel = "PATH", description = "File or directory on HDFS")
  private String path;

  @Option(
      names = "--policy",
      paramLabel = "CODE",
      description = "Code: RS-6-3, RS-3-2, RS-10-4, RS-LEGACY-6-3, XOR-2-1 or like them")
  private String policy;

  @Option(
      names = "--layout",
      paramLabel = "LAYOUT",
      description =
          "striped: small cells in turn, as HDFS has them by default; the bytes are copied."
              + " contiguous: cells as large as the file's blocks, which stay where they are"
              + " (default: contiguous)")
  private Layout layout;

  @Option(
      names = "--cell-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description = "Cell of --layout=striped (default: 1MiB)")
  private ByteSize cellSize;

  @Option(names = "--execute", description = "Do it; without this, only the plan is shown")
  private boolean execute;

  @Option(
      names = "--resume",
      description =
          "Take up a job that was interrupted: finish or take back what it had begun, and go on")
  private boolean resume;

  @Option(names = "--undo", description = "Return files that this command converted to replication")
  private boolean undo;

  @ArgGroup(exclusive = false, validate = false, heading = "%nWhich files:%n")
  private RuleOptions ruleOptions = new RuleOptions();

  @ArgGroup(exclusive = false, validate = false, heading = "%nHow it is done:%n")
  private WorkOptions work = new WorkOptions();

  @Option(
      names = "--json",
      description = "One JSON object a line on stdout, for each file and for the sums")
  private boolean json;

  @Spec private CommandSpec spec;

  /** Options that choose files. */
  static final class RuleOptions {
    @Option(
        names = "--min-age",
        paramLabel = "TIME",
        description = "Least time since the last modification, such as 12h or 30d (default: 0)")
    private String minAge;

    @Option(
        names = "--min-size",
        paramLabel = "SIZE",
        converter = ByteSize.Converter.class,
        description = "Least size of a file (default: 0)")
    private ByteSize minSize;

    @Option(
        names = "--glob",
        paramLabel = "PATTERN",
        description = "Pattern of names, or of whole paths if it has a slash, such as '*.parquet'")
    private String glob;

    @Option(names = "--owner", paramLabel = "USER", description = "Owner of the files")
    private String owner;

    @Option(
        names = "--include-snapshotted",
        description = "Take files that snapshots keep, too: their replicas stay until those go")
    private boolean includeSnapshotted;

    @Option(
        names = "--include-synced",
        description =
            "Also take files whose writers rely on hsync, such as logs of HBase; use it only for"
                + " files that are no longer written")
    private boolean includeSynced;
  }

  /** Options that control how the work is done. */
  static final class WorkOptions {
    @Option(
        names = "--storage-policy",
        paramLabel = "NAME",
        description = "Storage policy for the files in the same pass, such as COLD")
    private String storagePolicy;

    @Option(
        names = "--max-replication",
        paramLabel = "COUNT",
        description =
            "With --undo, most replicas that a file gets back (default: as many as it had)")
    private Integer maxReplication;

    @Option(
        names = "--allow-rack-loss",
        description = "Allow a code that loses data with one rack, where there are too few racks")
    private boolean allowRackLoss;

    @Option(
        names = "--allow-stale-readers",
        description = {
          "Allow --layout=striped, which is refused otherwise: a process that has a file open"
              + " through Hadoop's own client while it is replaced, and then reads blocks whose"
              + " locations it did not know, can get wrong bytes without an error from positional"
              + " reads. Use it only if no process keeps these files open"
        })
    private boolean allowStaleReaders;

    @Option(
        names = "--skip-namenode-check",
        description =
            "Add policies without asking every NameNode over HTTP whether it accepts them. A"
                + " NameNode, standby or observer with a smaller"
                + " dfs.namenode.ec.policies.max.cellsize than the cells then stops and does not"
                + " start again until that is raised; a SecondaryNameNode makes no checkpoints")
    private boolean skipNameNodeCheck;

    @Option(
        names = "--throttle",
        paramLabel = "SIZE",
        converter = ByteSize.Converter.class,
        description =
            "Most bytes per second: of each encoding DataNode, or of all copies together"
                + " (default: no limit, as with 0)")
    private ByteSize throttle;

    @Option(
        names = "--driver",
        paramLabel = "DRIVER",
        description =
            "Who moves the bytes: client, this process; mapreduce, one map for each block group, on"
                + " the framework that mapred-site.xml names (default: client)")
    private DriverKind driver;

    @Option(
        names = "--files-at-once",
        paramLabel = "COUNT",
        description =
            "Files at one time, 1 to 64 (default: "
                + JobSettings.FILES_OF_CLIENT
                + "; "
                + JobSettings.FILES_OF_MAPS
                + " with --driver=mapreduce)")
    private Integer filesAtOnce;

    @Option(
        names = "--groups-at-once",
        paramLabel = "COUNT",
        description =
            "Block groups of a file at one time, 1 to 64; times the files, maps at one time"
                + " (default: "
                + JobSettings.GROUPS
                + ")")
    private Integer groupsAtOnce;

    @Option(
        names = "--job",
        paramLabel = "NAME",
        description = "Name of the job (default: made of the time)")
    private String job;

    @Option(
        names = "--job-directory",
        paramLabel = "DIR",
        defaultValue = JobDirectory.ROOT_DEFAULT,
        description =
            "Directory on HDFS for journals and temporary files, outside of trees with quotas"
                + " (default: ${DEFAULT-VALUE})")
    private String jobDirectory;

    @Option(
        names = "--principal",
        paramLabel = "NAME",
        description = "With --keytab, the Kerberos principal to log in as; _HOST is replaced")
    private String principal;

    @Option(
        names = "--keytab",
        paramLabel = "FILE",
        description =
            "Keytab to log in from, again before each ticket ends, for jobs of days (default: the"
                + " ticket cache)")
    private String keytab;

    @Option(
        names = "-D",
        paramLabel = "KEY=VALUE",
        description =
            "Property of Hadoop's for this job, such as mapreduce.job.queuename; may be repeated")
    private Map<String, String> properties = new TreeMap<>();
  }

  @Override
  public Integer call() {
    JobSettings settings = settings();
    PrintWriter err = spec.commandLine().getErr();
    JsonLines lines = new JsonLines(spec.commandLine().getOut());
    JobObserver shown = new ProgressText(err, json ? lines : JobObserver.NONE);
    HdfsConfiguration conf = new HdfsConfiguration();
    work.properties.forEach(conf::set);
    try (KeytabLogin login = login(conf);
        DistributedFileSystem fs = HdfsConnection.open(conf, new Path(path));
        Driver driver = new Driver(fs, work.jobDirectory, shown, StepListener.NONE)) {
      if (resume) {
        err.println("Taking up the job; its last driver's lease may last another minute ...");
        err.flush();
        return report(() -> driver.resume(settings.path, work.job, tuning()), lines);
      }
      if (execute) {
        String name = work.job == null ? newName() : work.job;
        return report(() -> driver.execute(settings, name), lines);
      }
      return plan(driver, settings, shown, lines);
    } catch (RefusedException e) {
      throw new CommandException(ExitStatus.USAGE, e.getMessage());
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, Reasons.of(e));
    }
  }

  /** Returns null if the user is already logged in. */
  private KeytabLogin login(Configuration conf) throws IOException {
    return work.keytab == null ? null : KeytabLogin.of(conf, work.principal, work.keytab);
  }

  private int plan(Driver driver, JobSettings settings, JobObserver shown, JsonLines lines)
      throws IOException {
    Totals totals = driver.plan(settings);
    Policies policies = driver.policies(settings);
    Map<String, String> steps =
        policies == null ? Collections.emptyMap() : policies.toDo(totals.cells);
    if (json) {
      lines.plan(totals, steps);
    } else {
      new TableText(spec.commandLine().getOut()).plan(settings, totals, steps);
    }
    if (policies != null) {
      policies.check(totals.cells, shown);
    }
    if (!json) {
      boolean isRefused = settings.layout == Layout.STRIPED && !settings.allowStaleReaders;
      spec.commandLine()
          .getErr()
          .println(
              isRefused
                  ? "Nothing was changed; --execute needs --allow-stale-readers as well: "
                      + Preflight.STALE_READERS
                      + "."
                  : "Nothing was changed; --execute does it.");
      spec.commandLine().getErr().flush();
    }
    return totals.vanished.isAny() ? ExitStatus.FAILED : ExitStatus.SOUND;
  }

  private interface Work {
    JobReport run() throws IOException;
  }

  private int report(Work job, JsonLines lines) throws IOException {
    long start = System.nanoTime();
    JobReport report = job.run();
    double seconds = (System.nanoTime() - start) / 1e9;
    if (json) {
      lines.report(report, seconds);
    } else {
      new TableText(spec.commandLine().getOut()).report(report, seconds);
    }
    if (report.refusal() != null) {
      throw new CommandException(
          ExitStatus.USAGE,
          "Cannot go on with job "
              + report.job()
              + ", of which everything else is settled as"
              + " shown: "
              + report.refusal());
    }
    return report.isComplete() ? ExitStatus.SOUND : ExitStatus.FAILED;
  }

  private JobTuning tuning() {
    JobTuning tuning = new JobTuning();
    tuning.filesAtOnce = within("--files-at-once", work.filesAtOnce);
    tuning.groupsAtOnce = within("--groups-at-once", work.groupsAtOnce);
    tuning.bytesPerSecond = work.throttle == null ? null : (Long) work.throttle.bytes();
    tuning.skipNameNodeCheck = work.skipNameNodeCheck;
    tuning.properties.putAll(work.properties);
    return tuning;
  }

  private JobSettings settings() {
    JobSettings settings = new JobSettings();
    settings.path = absolute(path);
    settings.undo = undo;
    settings.rules = rules();
    settings.storagePolicy = work.storagePolicy;
    settings.allowRackLoss = work.allowRackLoss;
    settings.allowStaleReaders = work.allowStaleReaders;
    if (work.driver != null) {
      settings.driver = work.driver;
    }
    tuning().applyTo(settings);
    if ((work.keytab == null) != (work.principal == null)) {
      throw usage("Cannot log in with one of --keytab and --principal alone: give both");
    }
    if (!work.jobDirectory.startsWith("/")) {
      throw usage("Cannot use --job-directory=" + work.jobDirectory + ": it must be absolute");
    }
    if (resume) {
      requireNothingElse();
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

  /**
   * Refuses options that a resumed job would ignore; otherwise users would expect them to apply.
   */
  private void requireNothingElse() {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!OF_RESUME.contains(option.longestName())) {
        throw usage(
            "Cannot resume with other settings: a job keeps those that it was begun with; leave "
                + option.longestName()
                + " out");
      }
    }
  }

  private void code(JobSettings settings) {
    if (policy == null) {
      throw usage("Cannot convert: --policy is missing; name a code, such as --policy=RS-6-3");
    }
    CodeName request;
    try {
      request = CodeName.parse(policy);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    boolean namesCell = request.cellBytes() > 0 || cellSize != null;
    settings.policy = request.toString();
    settings.layout = layout == null ? (namesCell ? Layout.STRIPED : Layout.CONTIGUOUS) : layout;
    if (settings.layout == Layout.CONTIGUOUS && namesCell) {
      throw usage(
          "Cannot choose the cell of --layout=contiguous: it is each file's block size; leave it"
              + " out, or use --layout=striped");
    }
    settings.cellBytes = settings.layout == Layout.STRIPED ? cell(request) : 0;
  }

  private int cell(CodeName request) {
    long bytes = request.cellBytes() > 0 ? request.cellBytes() : 1 << 20;
    if (cellSize != null) {
      if (request.cellBytes() > 0 && request.cellBytes() != cellSize.bytes()) {
        throw usage("Cannot use two cell sizes: " + policy + " and --cell-size=" + cellSize);
      }
      bytes = cellSize.bytes();
    }
    if (!request.takesCell(bytes)) {
      throw usage(
          "Cannot use cells of "
              + bytes
              + " bytes: whole KiB are needed, and at most "
              + request.cellBytesMax()
              + " bytes, since "
              + request.data()
              + " cells must stay below 2 GiB");
    }
    return (int) bytes;
  }

  private FileFilter rules() {
    FileFilter rules = new FileFilter();
    rules.ageMsMin = ruleOptions.minAge == null ? 0 : age(ruleOptions.minAge);
    rules.bytesMin = ruleOptions.minSize == null ? 0 : ruleOptions.minSize.bytes();
    rules.glob = ruleOptions.glob;
    rules.owner = ruleOptions.owner;
    rules.includeSnapshotted = ruleOptions.includeSnapshotted;
    rules.includeSynced = ruleOptions.includeSynced;
    return rules;
  }

  private long age(String text) {
    if (!text.matches("\\d{1,6}[smhd]")) {
      throw usage("Cannot read --min-age=" + text + ": write for example 90m, 12h or 30d");
    }
    long count = Long.parseLong(text.substring(0, text.length() - 1));
    switch (text.charAt(text.length() - 1)) {
      case 's':
        return count * 1000;
      case 'm':
        return count * 60_000;
      case 'h':
        return count * 3_600_000;
      default:
        return count * 86_400_000;
    }
  }

  private Integer within(String option, Integer count) {
    if (count != null && (count < 1 || count > 64)) {
      throw usage("Cannot use " + option + "=" + count + ": 1 to 64 are possible");
    }
    return count;
  }

  private String absolute(String text) {
    Path given = new Path(text);
    if (!given.toUri().getPath().startsWith("/")) {
      throw usage("Cannot convert " + text + ": name an absolute path");
    }
    return given.toUri().getPath();
  }

  private static String newName() {
    int random = new Random().nextInt(1 << 16);
    return LocalDateTime.now(ZoneId.systemDefault()).format(NAME)
        + "-"
        + String.format(Locale.ROOT, "%04x", random);
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
