// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.util.VersionInfo;
import org.stripeline.lab.bench.NativeBench;
import org.stripeline.lab.bench.cluster.ExistingHdfs;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Progress;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.TextTable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stripeline evaluate}. */
@Command(
    name = "evaluate",
    description = {
      "Repeat published experiments on erasure coding in HDFS, and write a report.",
      "",
      "Runs other commands of stripeline as processes of their own, on clusters of this machine,"
          + " and writes report.html, with tables and plots of the results beside the published"
          + " values, and report.json. Each measurement checks its own results, so that no figure"
          + " stands for wrong bytes. What cannot be measured here is left out, and the report says"
          + " why."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Everything was measured",
      "1:A measurement failed or found wrong bytes",
      "2:The command line cannot be carried out as given",
      "3:Something could not be measured; the report has the rest"
    })
public final class EvaluateCommand implements Callable<Integer> {
  @ArgGroup private Extent extent = new Extent();

  private static final class Extent {
    @Option(names = "--quick", description = "Measure for about 20 minutes, which is the default")
    private boolean quick;

    @Option(names = "--full", description = "Measure for about four hours")
    private boolean full;

    @Option(names = "--trial", hidden = true, description = "Seconds for each measurement")
    private boolean trial;

    Size size() {
      return full ? Size.FULL : trial && !quick ? Size.TRIAL : Size.QUICK;
    }
  }

  @Option(
      names = "--only",
      paramLabel = "SECTION",
      split = ",",
      description = "Sections to measure (default: all)")
  private List<String> only = new ArrayList<>();

  @Option(names = "--list", description = "List the sections and their estimated durations")
  private boolean isList;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = "evaluation",
      description =
          "New or empty directory for report, results and logs, and with --full for the files of"
              + " reads from disks (default: ${DEFAULT-VALUE})")
  private Path directory;

  @Option(
      names = "--conf",
      paramLabel = "DIR",
      description =
          "Measure clients on the running cluster of this configuration directory, and leave out"
              + " what stops DataNodes, limits links or needs YARN; needs --path")
  private Path configuration;

  @Option(
      names = "--path",
      paramLabel = "PATH",
      description =
          "HDFS directory on that cluster; each measurement creates a directory in it, and deletes"
              + " it at its end")
  private String path;

  @Option(
      names = "--resume",
      description =
          "Continue in a directory of an earlier run: complete measurements with the same command,"
              + " version, commit, machine and Java are not repeated")
  private boolean resume;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  /** Creates a command for picocli. */
  public EvaluateCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Size size = extent.size();
    List<Section> sections = sections();
    PrintWriter out = spec.commandLine().getOut();
    if (isList) {
      out.print(list(sections, size));
      out.flush();
      return ExitStatus.SOUND;
    }
    if ((configuration == null) != (path == null)) {
      throw new ParameterException(
          spec.commandLine(),
          "Cannot evaluate on a running cluster: --conf and --path need each other");
    }
    if (configuration != null) {
      try {
        ExistingHdfs.check(configuration, path);
      } catch (IOException e) {
        throw new CommandException(ExitStatus.UNCHECKED, e.getMessage());
      }
    }
    checkDirectory();
    Path home = NativeBench.home().toAbsolutePath();
    EvaluationReport report = describe(size, home);
    Progress progress = Progress.onStandardError(spec.commandLine().getErr());
    Measurements measurements =
        new Measurements(
            directory.toAbsolutePath(),
            spec.root().userObject().getClass(),
            home,
            Origin.of(report));
    Remaining remaining = new Remaining(sections, size);
    for (Section section : sections) {
      EvaluationReport.Section results =
          new EvaluationReport.Section(section.name(), section.title(), section.document());
      report.sections.add(results);
      for (Measurement measurement : section.measurements(size)) {
        measure(section, measurement, measurements, report, results, progress, remaining);
        write(report);
      }
    }
    progress.say("written: %s", directory.resolve("report.html").toAbsolutePath().normalize());
    out.print(output.isJson() ? json(report) : text(report));
    out.flush();
    return report.status();
  }

  /** Estimates the remaining time from the estimates and what measurements really took. */
  private static final class Remaining {
    private double estimated;
    private double expected;
    private double taken;

    private final Set<String> counted = new HashSet<>();

    Remaining(List<Section> sections, Size size) {
      for (Section section : sections) {
        for (Measurement one : section.measurements(size)) {
          // Sections share measurements.
          estimated += counted.add(one.name) ? one.seconds : 0;
        }
      }
    }

    void leftOut(Measurement measurement) {
      estimated -= counted.remove(measurement.name) ? measurement.seconds : 0;
    }

    void done(Measurement measurement, Measurements.Stored stored) {
      leftOut(measurement);
      if (!stored.isEarlier) {
        expected += measurement.seconds;
        taken += stored.seconds;
      }
    }

    String text() {
      return "about "
          + Quantity.duration(estimated * (expected > 0 ? taken / expected : 1))
          + " left";
    }
  }

  private void measure(
      Section section,
      Measurement measurement,
      Measurements measurements,
      EvaluationReport report,
      EvaluationReport.Section results,
      Progress progress,
      Remaining remaining)
      throws IOException, InterruptedException {
    EvaluationReport.Run run = new EvaluationReport.Run();
    results.runs.add(run);
    Measurement here =
        configuration == null ? measurement : measurement.on(configuration.toAbsolutePath(), path);
    if (here == null) {
      run.command = measurement.command();
      run.leftOut =
          "Cannot measure "
              + measurement.name
              + " on a running cluster: it needs one of its own; run it without --conf";
      progress.say("%s", run.leftOut);
      remaining.leftOut(measurement);
      return;
    }
    run.command = here.command();
    Measurements.Stored stored = measurements.earlier(here);
    if (stored == null) {
      try (Progress.Step step = progress.step(measurement.name + ", " + remaining.text(), 0)) {
        stored = measurements.run(here);
        if (stored.leftOut != null) {
          step.ended("left out");
        } else if (stored.failed == null) {
          step.succeeded();
        }
      }
    }
    remaining.done(measurement, stored);
    run.isEarlier = stored.isEarlier;
    run.seconds = stored.seconds;
    run.failed = stored.failed;
    run.leftOut = stored.leftOut;
    if (run.failed == null && run.leftOut == null) {
      section.conclude(here, stored.result, results);
      if (here != measurement) {
        results.onCluster(here);
      }
      report.addVersions(stored.result);
      run.leftOut = Measurements.leftOut(stored.result);
      run.notes.addAll(strings(stored.result, "notes"));
      // Rails that this machine lacks, with the reasons.
      run.notes.addAll(strings(stored.result, "absent"));
      // What failed in a bench whose other results hold.
      List<String> failures = strings(stored.result, "failures");
      run.failed = failures.isEmpty() ? null : String.join("; ", failures);
    }
    if (run.failed != null || run.leftOut != null) {
      progress.say("%s: %s", here.name, run.failed != null ? run.failed : run.leftOut);
    }
  }

  private static List<String> strings(JsonObject result, String key) {
    List<String> strings = new ArrayList<>();
    if (result.has(key)) {
      result.getAsJsonArray(key).forEach(one -> strings.add(one.getAsString()));
    }
    return strings;
  }

  private EvaluationReport describe(Size size, Path home) throws InterruptedException {
    EvaluationReport report = new EvaluationReport();
    report.command =
        "stripeline " + String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    report.commit = Origin.commit(home);
    report.versions.putAll(Origin.versions());
    report.size = size.name().toLowerCase(Locale.ROOT);
    report.hadoop = VersionInfo.getVersion();
    report.java = System.getProperty("java.runtime.version");
    report.coder = CoderStatus.current().toString();
    report.cluster = configuration == null ? null : configuration.toString();
    report.machine.describe();
    return report;
  }

  /** Returns all sections, in the order of the report. */
  static List<Section> all() {
    return Arrays.asList(
        new CoderSection(),
        new ClientSection(),
        new ProgramSection(),
        new SqlSection(),
        new AccumuloSection(),
        new PlacementSection(),
        new EngineSection(),
        new ModelSection());
  }

  private List<Section> sections() {
    List<Section> all = all();
    List<String> names = all.stream().map(Section::name).collect(Collectors.toList());
    for (String name : only) {
      if (!names.contains(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "Cannot evaluate section '" + name + "': known are " + String.join(", ", names));
      }
    }
    return all.stream()
        .filter(section -> only.isEmpty() || only.contains(section.name()))
        .collect(Collectors.toList());
  }

  private static String list(List<Section> sections, Size size) {
    TextTable table = new TextTable("section", "title", "estimate");
    for (Section section : sections) {
      int seconds = section.measurements(size).stream().mapToInt(one -> one.seconds).sum();
      table.row(section.name(), section.title(), Quantity.duration(seconds));
    }
    return table.render();
  }

  private void checkDirectory() throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    if (!Files.isDirectory(directory)) {
      throw usage("it is not a directory");
    }
    try (Stream<Path> entries = Files.list(directory)) {
      boolean isEmpty = !entries.findAny().isPresent();
      if (!isEmpty && !Files.isDirectory(directory.resolve("results"))) {
        throw usage("it is not empty and no directory of an evaluation");
      }
      if (!isEmpty && !resume) {
        throw usage("it has an earlier evaluation; continue with --resume or name another one");
      }
    }
  }

  private CommandException usage(String reason) {
    return new CommandException(ExitStatus.USAGE, "Cannot use --dir=" + directory + ": " + reason);
  }

  private void write(EvaluationReport report) throws IOException {
    Files.write(directory.resolve("report.json"), json(report).getBytes(StandardCharsets.UTF_8));
    EvaluationPage page = new EvaluationPage(report);
    page.page().write(directory.resolve("report.html"));
    Path plots = Files.createDirectories(directory.resolve("plots"));
    for (Map.Entry<String, String> plot : page.plots().entrySet()) {
      Files.write(
          plots.resolve(plot.getKey() + ".svg"), plot.getValue().getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String json(EvaluationReport report) {
    StringWriter json = new StringWriter();
    OutputOptions.printJson(new PrintWriter(json), report);
    return json.toString();
  }

  private static String text(EvaluationReport report) {
    StringBuilder text = new StringBuilder();
    for (EvaluationReport.Section section : report.sections) {
      for (EvaluationReport.Figure figure : section.figures) {
        text.append(figure.title).append('\n');
        text.append(figure.comparisons.isEmpty() ? "" : EvaluationPage.comparisons(figure).render())
            .append('\n');
      }
      for (EvaluationReport.Run run : section.runs) {
        String reason = run.failed != null ? "FAILED: " + run.failed : run.leftOut;
        if (reason != null) {
          text.append(run.command).append(": ").append(reason).append('\n');
        }
        run.notes.forEach(note -> text.append("note: ").append(note).append('\n'));
      }
    }
    return text.toString();
  }
}
