// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.simulate;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.stripeline.simulator.report.Experiment;
import org.stripeline.simulator.report.Report;
import org.stripeline.simulator.report.ReportJson;
import org.stripeline.simulator.report.ReportPlot;
import org.stripeline.simulator.report.ReportTable;
import org.stripeline.simulator.scenario.Scenario;
import org.stripeline.simulator.scenario.ScenarioException;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.OutputOptions;
import org.stripeline.terminal.Page;
import org.stripeline.terminal.Sheet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stripeline simulate}. */
@Command(
    name = "simulate",
    description = {
      "Simulate block placement, writes and encoding on a cluster, and compare policies.",
      "",
      "Needs no cluster. A scenario sets constants, each with its source, and the policies to"
          + " compare: HDFS' placement (rr), the same with a matching that chooses the replicas to"
          + " keep (retention), encoding-aware replication of the paper (preliminary-ear, ear) and"
          + " of the NameNode's policy (ear-namenode), stripes chosen among blocks already written,"
          + " which HDFS does not permit (post-hoc), adoption of a file's own blocks (adoption),"
          + " copying (copy). Blocks are placed and stripes planned by the code that runs on"
          + " clusters. Figures of the paper on encoding-aware replication (Li, Hu, Lee, DSN 2015)"
          + " are shown next to ours.",
      "",
      "The same scenario and seed give the same digest on every machine."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:Simulated, and within the scenario's tolerance of the paper where it has one",
      "1:Simulated, and a figure is outside the scenario's tolerance",
      "2:The command line or the scenario cannot be carried out as given",
      "3:Could not read or write a file"
    })
public final class SimulateCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..*",
      paramLabel = "SCENARIO",
      description = "Name from --list, 'all' for all of them except scale, or a file of that form")
  private List<String> names = new ArrayList<>();

  @Option(names = "--list", description = "List the built-in scenarios")
  private boolean isList;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Seed of the first run of each scenario; later runs use the next numbers (default:"
              + " ${DEFAULT-VALUE})")
  private long seed;

  @Mixin private OutputOptions output;

  @Option(
      names = "--svg",
      paramLabel = "FILE",
      description = "Draw throughput, and gains over all runs as boxes, next to the paper's")
  private Path svg;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write tables and drawings as an HTML page")
  private Path html;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (svg != null) {
      Page.requireWritable(spec.commandLine(), "--svg", svg);
    }
    if (html != null) {
      Page.requireWritable(spec.commandLine(), "--html", html);
    }
    PrintWriter out = spec.commandLine().getOut();
    try {
      if (isList) {
        list(out);
        return ExitStatus.SOUND;
      }
      if (names.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(), "Cannot simulate: name a scenario, or see --list");
      }
      return run(scenarios(), out);
    } catch (ScenarioException e) {
      boolean isUnread = e.getCause() instanceof IOException;
      throw new CommandException(
          isUnread ? ExitStatus.UNCHECKED : ExitStatus.USAGE, e.getMessage());
    }
  }

  private static void list(PrintWriter out) throws ScenarioException {
    for (String name : Scenario.carried()) {
      out.println(String.format("%-16s %s", name, Scenario.carried(name).title()));
    }
    out.flush();
  }

  /** Reads all scenarios before the first one runs, so that errors show at once. */
  private List<Scenario> scenarios() throws ScenarioException {
    List<Scenario> scenarios = new ArrayList<>();
    for (String name : names) {
      Path file = Paths.get("").toAbsolutePath().resolve(name);
      if (name.equals("all")) {
        for (String carried : Scenario.carried()) {
          if (!carried.equals(Scenario.SCALE)) {
            scenarios.add(Scenario.carried(carried));
          }
        }
      } else if (Files.exists(file) && !Scenario.carried().contains(name)) {
        scenarios.add(Scenario.read(file));
      } else {
        scenarios.add(Scenario.carried(name));
      }
    }
    return scenarios;
  }

  private int run(List<Scenario> scenarios, PrintWriter out) throws ScenarioException {
    PrintWriter talk = spec.commandLine().getErr();
    List<Report> reports = new ArrayList<>();
    int beyond = 0;
    for (Scenario scenario : scenarios) {
      Report report =
          Experiment.run(
              scenario,
              seed,
              line -> {
                talk.println(line);
                talk.flush();
              });
      reports.add(report);
      beyond += report.beyondTolerance();
      if (!output.isJson()) {
        out.println(Sheet.text(sheet -> ReportTable.show(report, sheet)));
        out.flush();
      }
    }
    if (output.isJson()) {
      OutputOptions.printJson(out, Collections.singletonMap("reports", ReportJson.of(reports)));
    }
    if (svg != null) {
      write(svg, ReportPlot.of(reports).render());
    }
    if (html != null) {
      page(reports).write(html);
    }
    if (beyond > 0) {
      talk.println("figures outside their scenario's tolerance of the paper: " + beyond);
      talk.flush();
    }
    return beyond > 0 ? ExitStatus.FAILED : ExitStatus.SOUND;
  }

  private static Page page(List<Report> reports) {
    Page page = new Page("Simulated clusters");
    for (Report report : reports) {
      page.section(report.scenario, report.title);
      ReportTable.show(report, page);
      page.plots(Collections.singletonList(ReportPlot.of(Collections.singletonList(report))));
    }
    return page;
  }

  private static void write(Path file, String text) {
    try {
      Files.write(
          Paths.get("").toAbsolutePath().resolve(file), text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.UNCHECKED, "Cannot write " + file + ": " + e.getMessage());
    }
  }
}
