// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.security.AccessControlException;
import org.stripeline.convert.RuleOptions;
import org.stripeline.convert.namenode.HdfsConnection;
import org.stripeline.convert.select.PathArguments;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.CommandStyle;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Page;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Sheet;
import org.stripeline.terminal.Terminal;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline plan}. */
@Command(
    name = "plan",
    description = {
      "Estimate the space that erasure coding would save, without changing anything.",
      "",
      "Shows per directory and in total the bytes now and afterwards, the treatment of files, the"
          + " replicas that can stay in place, the bytes that four ways of converting would send"
          + " across racks, and reasons against it: short groups, small files, snapshots, writers"
          + " that call hsync, too few racks.",
      "",
      "Queries the NameNode of the configuration, or reads the output of 'hdfs oiv' for an fsimage:"
          + " no cluster is needed then, but locations are unknown, and figures about them are"
          + " expected values."
    },
    parameterListHeading = "%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  stripeline plan /data --depth=2 --throttle=50MB",
      "  stripeline plan '/data/2024-*' /logs",
      "  stripeline plan / --image=fsimage.xml.gz --racks=40 --nodes=800 --json",
      "  stripeline plan /data --storage-policy=COLD --archive-cost=0.7",
      "  stripeline plan /data --audit"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Planned; with --audit, all groups are placed correctly",
      "1:With --audit, some groups are not placed correctly",
      "2:The command line cannot be carried out as given, or the path is absent or not permitted",
      "3:Could not check all or part of the tree; what could not be read is listed"
    })
public final class PlanCommand implements Callable<Integer> {
  /** Options that {@code convert --layout=auto} has too, and that decide about files or storage. */
  private static final List<String> OF_CONVERT =
      Arrays.asList(
          "--cell-size",
          "--allow-stale-readers",
          "--min-age",
          "--min-size",
          "--glob",
          "--owner",
          "--include-snapshotted",
          "--include-synced",
          "--storage-policy");

  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description =
          "Files or directories on HDFS or in the image, with a report for each; globs are expanded"
              + " on HDFS, and what is below another PATH is left out")
  private List<String> paths;

  /** The path that is being planned. */
  private String path;

  @Option(
      names = "--policy",
      paramLabel = "CODE",
      defaultValue = "RS-6-3",
      description =
          "Code, such as RS-6-3, RS-3-2, RS-10-4 or XOR-2-1 (default: ${DEFAULT-VALUE}), or with"
              + " the cell size of copies, such as RS-6-3-1024k")
  private String policy;

  @Option(
      names = "--cell-size",
      paramLabel = "SIZE",
      converter = ByteSize.Converter.class,
      description =
          "Cell size of files for which a striped layout is better than adoption (default: that of"
              + " --policy if it has one, otherwise 1MiB)")
  private ByteSize cellSize;

  @Option(
      names = "--blocks-per-rack",
      paramLabel = "C",
      description =
          "Maximum blocks of a group per rack; data survives the failure of a rack if this is at"
              + " most the number of parity blocks (default: as few as the racks allow, the rule of"
              + " HDFS)")
  private Integer blocksPerRack;

  @Option(
      names = "--depth",
      paramLabel = "N",
      defaultValue = "1",
      description = "Levels of directories to show, 0 to 20 (default: ${DEFAULT-VALUE})")
  private int depth;

  @Option(
      names = "--audit",
      description =
          "Instead of planning, check files that are erasure-coded already: that all blocks exist,"
              + " on different nodes, in enough racks, and at most C per rack")
  private boolean audit;

  @Option(names = "--json", description = "Print the result as one JSON object for each PATH")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write the result as an HTML page, with a plot of the space used")
  private java.nio.file.Path html;

  /** The page of {@code --html}, or null. */
  private Page page;

  @Option(
      names = "--allow-stale-readers",
      description =
          "Also plan copies, for files that adoption does not make smaller; 'convert' needs the"
              + " same option for them, and its page says why")
  private boolean allowStaleReaders;

  @ArgGroup(exclusive = false, validate = false, heading = "%nWhich files:%n")
  private RuleOptions ruleOptions = new RuleOptions();

  @ArgGroup(exclusive = false, validate = false, heading = "%nTime and cost:%n")
  private CostOptions cost = new CostOptions();

  @ArgGroup(exclusive = false, validate = false, heading = "%nWithout a cluster:%n")
  private ImageOptions image = new ImageOptions();

  @Spec private CommandSpec spec;

  /** Options for the duration and cost of storage. */
  static final class CostOptions {
    @Option(
        names = "--throttle",
        paramLabel = "SIZE",
        converter = ByteSize.RateConverter.class,
        description =
            "Bytes that each node may send per second, such as 50MiB, at least 64KiB: used to"
                + " estimate the duration")
    private ByteSize throttle;

    @Option(
        names = "--storage-policy",
        paramLabel = "NAME",
        description = "COLD: converted files move to archive storage; requires --archive-cost")
    private String storagePolicy;

    @Option(
        names = "--archive-cost",
        paramLabel = "RATIO",
        description = "Cost of a byte of archive storage relative to one on disk, such as 0.7")
    private Double archiveCost;
  }

  /** Options for images. */
  static final class ImageOptions {
    @Option(
        names = "--image",
        paramLabel = "FILE",
        description = "Output of 'hdfs oiv -p XML' or '-p Delimited'; may be compressed by gzip")
    private java.nio.file.Path file;

    @Option(names = "--racks", paramLabel = "N", description = "Racks of the cluster (default: 20)")
    private Integer racks;

    @Option(
        names = "--nodes",
        paramLabel = "N",
        description = "DataNodes of the cluster (default: 20 for each rack)")
    private Integer nodes;

    @Option(
        names = "--writers",
        paramLabel = "WHERE",
        defaultValue = "datanodes",
        description =
            "Where the writers of the files ran, which determines the locations of first replicas:"
                + " datanodes or elsewhere (default: ${DEFAULT-VALUE})")
    private String writers;
  }

  @Override
  public Integer call() {
    path = paths.get(0);
    settings();
    if (html != null) {
      Page.requireWritable(spec.commandLine(), "--html", html);
      page = new Page(audit ? "Erasure-coded files" : "Erasure coding, planned");
    }
    List<String> all = expand();
    int status = ExitStatus.SOUND;
    for (String one : all) {
      path = one;
      if (all.size() > 1 && !json) {
        String gap = one.equals(all.get(0)) ? "" : "\n";
        spec.commandLine().getOut().println(gap + Terminal.oneLine(one) + ":");
      }
      try {
        status = ExitStatus.worse(status, plan());
      } catch (CommandException e) {
        throw new CommandException(ExitStatus.worse(status, e.exitStatus()), e.getMessage());
      }
    }
    if (html != null) {
      page.write(html);
    }
    return status;
  }

  private List<String> expand() {
    if (image.file != null) {
      return paths;
    }
    try {
      return PathArguments.expand(paths);
    } catch (RefusedException e) {
      throw usage(e.getMessage());
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, reason(e));
    }
  }

  private int plan() {
    PlanSettings settings = settings();
    try {
      if (image.file != null) {
        return print(Plan.ofImage(settings, image.file, progress()));
      }
      return new Session().ask(settings);
    } catch (CommandException | ParameterException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Any status of a result would be wrong, also after an unexpected failure.
      boolean isUsage =
          e instanceof RefusedException
              || e instanceof FileNotFoundException
              || e instanceof AccessControlException;
      throw new CommandException(isUsage ? ExitStatus.USAGE : ExitStatus.UNCHECKED, reason(e));
    }
  }

  private Progress progress() {
    return Progress.onStandardError(spec.commandLine().getErr());
  }

  private int print(Plan plan) {
    print(plan, plan.forJson());
    if (page != null) {
      page.plots(Collections.singletonList(plan.plot()));
    }
    return plan.isComplete() ? ExitStatus.SOUND : ExitStatus.UNCHECKED;
  }

  private int print(Audit result) {
    print(result, result.forJson());
    if (!result.isSound()) {
      return ExitStatus.FAILED;
    }
    return result.isComplete() ? ExitStatus.SOUND : ExitStatus.UNCHECKED;
  }

  private void print(Sheet.Content result, Object forJson) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      OutputOptions.printJson(out, forJson);
    } else {
      out.print(Sheet.text(result));
      out.flush();
    }
    if (page != null) {
      page.section(path, path);
      result.show(page);
    }
  }

  private PlanSettings settings() {
    PlanSettings settings = new PlanSettings();
    settings.path = absolute();
    try {
      Long cell = cellSize == null ? null : (Long) cellSize.bytes();
      settings.code = CodeName.parse(policy, cell, 1 << 20);
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    settings.allowStaleReaders = allowStaleReaders;
    try {
      settings.rules = ruleOptions.filter();
    } catch (IllegalArgumentException e) {
      throw usage(e.getMessage());
    }
    settings.carriedOutBy = carriedOutBy();
    settings.depth = within("--depth", depth, 0, PlanSettings.DEPTH_MAX);
    settings.blocksPerRackMax =
        blocksPerRack == null
            ? 0
            : within("--blocks-per-rack", blocksPerRack, 1, settings.code.shape().total());
    settings.bytesPerSecond = cost.throttle == null ? 0 : cost.throttle.bytes();
    if (cost.throttle != null && settings.bytesPerSecond < 1) {
      throw usage("Cannot use --throttle=" + cost.throttle + ": it must be more than 0");
    }
    archive(settings);
    image(settings);
    return settings;
  }

  /** Returns the command that does what the plan prints: with the same options about files. */
  private String carriedOutBy() {
    StringBuilder text = new StringBuilder("stripeline convert ");
    text.append(CommandStyle.shellWord(PathArguments.literal(path)))
        .append(" --policy=")
        .append(policy)
        .append(" --layout=auto");
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (OF_CONVERT.contains(name)) {
        text.append(' ').append(name);
        String value =
            option.originalStringValues().isEmpty() ? "" : option.originalStringValues().get(0);
        text.append(option.arity().max() == 0 ? "" : "=" + CommandStyle.shellWord(value));
      }
    }
    return text.append(" --execute").toString();
  }

  private void archive(PlanSettings settings) {
    if (cost.storagePolicy == null && cost.archiveCost == null) {
      return;
    }
    if (!"COLD".equalsIgnoreCase(cost.storagePolicy)) {
      throw usage(
          (cost.storagePolicy == null
                  ? "Cannot use --archive-cost without --storage-policy=COLD"
                  : "Cannot compute the cost with --storage-policy=" + cost.storagePolicy)
              + ": only COLD puts erasure-coded files on archive storage");
    }
    if (cost.archiveCost == null || !(cost.archiveCost > 0 && cost.archiveCost <= 100)) {
      throw usage(
          "Cannot compute the cost of COLD: set --archive-cost=RATIO, the cost of a byte of archive"
              + " storage relative to disk, more than 0 and at most 100");
    }
    settings.archiveCost = cost.archiveCost;
  }

  private void image(PlanSettings settings) {
    if (image.file == null && (image.racks != null || image.nodes != null)) {
      throw usage("Cannot use --racks or --nodes without --image: the NameNode reports them");
    }
    if (image.file != null && (settings.rules.owner != null || settings.rules.ageMsMin > 0)) {
      throw usage("Cannot use --owner or --min-age with --image: ask the NameNode instead");
    }
    if (image.file != null && audit) {
      throw usage("Cannot audit an image: it has no locations");
    }
    settings.racks =
        image.racks == null ? 0 : within("--racks", image.racks, 1, PlanSettings.NODES_MAX);
    settings.nodes =
        image.nodes == null ? 0 : within("--nodes", image.nodes, 1, PlanSettings.NODES_MAX);
    if (settings.nodes > 0 && settings.racks > settings.nodes) {
      throw usage(
          "Cannot plan for "
              + settings.racks
              + " racks with "
              + settings.nodes
              + " nodes: each rack needs at least one");
    }
    if (!image.writers.equals("datanodes") && !image.writers.equals("elsewhere")) {
      throw usage("Cannot use --writers=" + image.writers + ": it is datanodes or elsewhere");
    }
    settings.areWritersOnDataNodes = image.writers.equals("datanodes");
  }

  private String absolute() {
    String plain;
    try {
      plain = PathArguments.parse(path).toUri().getPath();
    } catch (IllegalArgumentException e) {
      throw usage("Cannot plan '" + path + "': " + e.getMessage());
    }
    if (!plain.startsWith("/")) {
      throw usage("Cannot plan " + path + ": name an absolute path");
    }
    return plain;
  }

  private int within(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw usage(
          "Cannot use " + option + "=" + value + ": " + least + " to " + most + " are possible");
    }
    return value;
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /**
   * Returns the first line of the message: further lines of Hadoop's messages are the stack trace
   * of the server.
   */
  private String reason(Exception e) {
    String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    // Hadoop adds an address of its wiki to failures of connections.
    String message = text.replaceAll("; For more details see: +[^\\s;)]+", "").split("\n", 2)[0];
    return message.startsWith("Cannot ") ? message : "Cannot plan " + path + ": " + message;
  }

  /** A class of its own because help works without Hadoop, whose classes this one needs. */
  private final class Session {
    int ask(PlanSettings settings) throws IOException {
      try (DistributedFileSystem fs =
          HdfsConnection.open(new HdfsConfiguration(), new Path(path), "plan")) {
        return audit
            ? print(Audit.of(settings, fs, progress()))
            : print(Plan.ofNameNode(settings, fs, progress()));
      }
    }
  }
}
