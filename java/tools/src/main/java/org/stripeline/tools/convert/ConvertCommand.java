// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.stripeline.tools.CommandException;
import org.stripeline.tools.ExitStatus;
import org.stripeline.tools.ByteSize;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline convert}. */
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
      "1:Some files could not be converted; each is listed and is as it was",
      "2:The command line or the cluster does not allow it; nothing was touched",
      "3:Could not check, because HDFS did not answer; --resume takes the job up if it had begun"
    })
public final class ConvertCommand implements Callable<Integer> {
  private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

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

  @Option(
      names = "--undo",
      description = "Return files that this command converted to replication")
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
  }

  /** Options about the work itself. */
  static final class WorkOptions {
    @Option(
        names = "--storage-policy",
        paramLabel = "NAME",
        description = "Storage policy for the files in the same pass, such as COLD")
    private String storagePolicy;

    @Option(
        names = "--allow-rack-loss",
        description = "Allow a code that loses data with one rack, where there are too few racks")
    private boolean allowRackLoss;

    @Option(
        names = "--throttle",
        paramLabel = "SIZE",
        converter = ByteSize.Converter.class,
        description =
            "Most bytes per second: of each encoding DataNode, or of all copies together"
                + " (default: no limit)")
    private ByteSize throttle;

    @Option(
        names = "--driver",
        paramLabel = "DRIVER",
        defaultValue = "client",
        description =
            "Who moves the bytes: client, this process; mapreduce, one map for each block group, on"
                + " the framework that mapred-site.xml names (default: ${DEFAULT-VALUE})")
    private DriverKind driver;

    @Option(
        names = "--files-at-once",
        paramLabel = "COUNT",
        description =
            "Files at one time, 1 to 64 (default: " + JobSettings.FILES_OF_CLIENT + "; "
                + JobSettings.FILES_OF_MAPS + " with --driver=mapreduce)")
    private Integer filesAtOnce;

    @Option(
        names = "--groups-at-once",
        paramLabel = "COUNT",
        defaultValue = "4",
        description =
            "Block groups of a file at one time, 1 to 64; times the files, maps at one time"
                + " (default: ${DEFAULT-VALUE})")
    private int groupsAtOnce;

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
    try (DistributedFileSystem fs = Driver.connect(conf, new Path(path));
        Driver driver = new Driver(fs, work.jobDirectory, shown, StepListener.NONE)) {
      if (resume) {
        err.println("Taking up the job; its last driver's lease may last another minute ...");
        err.flush();
        return report(() -> driver.resume(settings.path, work.job, settings), lines);
      }
      if (execute) {
        String name = work.job == null ? newName() : work.job;
        return report(() -> driver.execute(settings, name), lines);
      }
      return plan(driver, settings, lines);
    } catch (RefusedException e) {
      throw new CommandException(ExitStatus.USAGE, e.getMessage());
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, Reasons.of(e));
    }
  }

  private int plan(Driver driver, JobSettings settings, JsonLines lines) throws IOException {
    Totals totals = driver.plan(settings);
    Policies policies = driver.policies(settings);
    Map<String, String> steps =
        policies == null ? Collections.emptyMap() : policies.toDo(totals.cells);
    if (json) {
      lines.plan(totals, steps);
    } else {
      new TableText(spec.commandLine().getOut()).plan(settings, totals, steps);
      spec.commandLine().getErr().println("Nothing was changed; --execute does it.");
      spec.commandLine().getErr().flush();
    }
    return ExitStatus.SOUND;
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
    return report.failed() == 0 ? ExitStatus.SOUND : ExitStatus.FAILED;
  }

  private JobSettings settings() {
    JobSettings settings = new JobSettings();
    settings.path = absolute(path);
    settings.undo = undo;
    settings.rules = rules();
    settings.storagePolicy = work.storagePolicy;
    settings.allowRackLoss = work.allowRackLoss;
    settings.driver = work.driver;
    settings.filesAtOnce =
        work.filesAtOnce == null ? 0 : within("--files-at-once", work.filesAtOnce);
    settings.groupsAtOnce = within("--groups-at-once", work.groupsAtOnce);
    settings.bytesPerSecond = work.throttle == null ? 0 : work.throttle.bytes();
    if (!work.jobDirectory.startsWith("/")) {
      throw usage("Cannot use --job-directory=" + work.jobDirectory + ": it must be absolute");
    }
    if (resume) {
      if (policy != null || layout != null || cellSize != null || undo || execute) {
        throw usage("Cannot resume with other settings: a job keeps those that it was begun with");
      }
      return settings;
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

  private void code(JobSettings settings) {
    if (policy == null) {
      throw usage("Cannot convert: --policy is missing; name a code, such as --policy=RS-6-3");
    }
    PolicyRequest request;
    try {
      request = PolicyRequest.parse(policy);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    boolean namesCell = request.cellBytes() > 0 || cellSize != null;
    settings.policy = request.code();
    settings.layout = layout == null ? (namesCell ? Layout.striped : Layout.contiguous) : layout;
    if (settings.layout == Layout.contiguous && namesCell) {
      throw usage(
          "Cannot choose the cell of --layout=contiguous: it is each file's block size; leave it"
              + " out, or use --layout=striped");
    }
    settings.cellBytes = settings.layout == Layout.striped ? cell(request) : 0;
  }

  private int cell(PolicyRequest request) {
    long bytes = request.cellBytes() > 0 ? request.cellBytes() : 1 << 20;
    if (cellSize != null) {
      if (request.cellBytes() > 0 && request.cellBytes() != cellSize.bytes()) {
        throw usage("Cannot use two cell sizes: " + policy + " and --cell-size=" + cellSize);
      }
      bytes = cellSize.bytes();
    }
    if (!request.takesCell(bytes) || bytes % 1024 != 0) {
      throw usage(
          "Cannot use cells of " + bytes + " bytes: whole KiB are needed, and at most "
              + request.cellBytesMax() + " bytes, since " + request.dataUnits()
              + " cells must stay below 2 GiB");
    }
    return (int) bytes;
  }

  private Rules rules() {
    Rules rules = new Rules();
    rules.ageMsMin = ruleOptions.minAge == null ? 0 : age(ruleOptions.minAge);
    rules.bytesMin = ruleOptions.minSize == null ? 0 : ruleOptions.minSize.bytes();
    rules.glob = ruleOptions.glob;
    rules.owner = ruleOptions.owner;
    rules.includeSnapshotted = ruleOptions.includeSnapshotted;
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

  private int within(String option, int count) {
    if (count < 1 || count > 64) {
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
    return LocalDateTime.now().format(NAME) + "-" + String.format(Locale.ROOT, "%04x", random);
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
