// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.stripeline.lab.bench.RailReport;

/** Prints a report as text. */
public final class ReportPrinter {
  private final PrintWriter out;
  private final UnaryOperator<String> mark;

  /**
   * Creates a printer.
   *
   * @param out the output
   */
  public ReportPrinter(PrintWriter out) {
    this(out, UnaryOperator.identity());
  }

  /**
   * Creates a printer.
   *
   * @param out the output
   * @param mark adds colours to a line
   */
  ReportPrinter(PrintWriter out, UnaryOperator<String> mark) {
    this.out = out;
    this.mark = mark;
  }

  /**
   * Prints a report.
   *
   * @param report the findings
   */
  public void print(DoctorReport report) {
    software("stripeline", report.stripeline);
    software("hadoop", report.hadoop);
    software("java", report.java);
    options(report.options);
    loading(report.loading);
    machine(report.machine);
    library(report.library);
    line(
        "configuration",
        report.configuration.directory == null
            ? "Hadoop's defaults: HADOOP_CONF_DIR is not set"
            : report.configuration.directory);
    for (String file : report.configuration.files) {
      line("", file);
    }
    pipelines(report.pipelines);
    if (report.rails != null) {
      rails(report.rails);
    }
    out.println();
    for (DoctorReport.Codec codec : report.codecs) {
      codec(codec);
    }
    selfTest(report.selfTest);
    if (report.cluster != null) {
      cluster(report.cluster);
    }
    out.println();
    if (report.problems.isEmpty()) {
      out.println("No problem found.");
    }
    listed("problem", report.problems);
    listed("warning", report.warnings);
    listed("check not made", report.unchecked);
    out.flush();
  }

  private void rails(RailReport rails) {
    String name = "rails";
    for (String rail : rails.lines()) {
      line(name, rail);
      name = "";
    }
    for (String note : rails.notes) {
      line(name, note);
    }
  }

  private void line(String name, String value) {
    out.printf("%-14s %s%n", name, mark.apply(value));
  }

  private void software(String name, DoctorReport.Software software) {
    line(name, software.version + (software.location == null ? "" : "  " + software.location));
  }

  private void options(DoctorReport.Options options) {
    if (!options.inUse.isEmpty()) {
      line("options", String.join(" ", options.inUse));
    }
    if (!options.dataNodes.isEmpty()) {
      line("", "of DataNodes only: " + String.join(" ", options.dataNodes));
    }
  }

  private void loading(DoctorReport.Loading loading) {
    String name = "class path";
    for (String setting : loading.settings) {
      line(name, setting);
      name = "";
    }
    line(name, "not examined: " + String.join(", ", loading.unseen));
  }

  private void machine(DoctorReport.Machine machine) {
    line(
        "machine",
        machine.system
            + ", "
            + machine.architecture
            + ", "
            + (machine.glibc == null ? "no glibc" : machine.glibc));
    line(
        "processor",
        (machine.processor == null ? "unnamed" : machine.processor)
            + ", "
            + machine.processors
            + " usable");
    line(
        "features", machine.features.isEmpty() ? "none known" : String.join(" ", machine.features));
  }

  private void library(DoctorReport.Library library) {
    if (library.loaded) {
      line(
          "library",
          "native " + library.version + ", from " + library.source + ": " + library.file);
      line("kernels", library.instructionSet + " (" + library.selection + ")");
    } else {
      line("library", "pure Java: " + library.cause);
    }
    Boolean executable = library.temporaryDirectoryExecutable;
    line(
        "temp dir",
        library.temporaryDirectory
            + (executable == null
                ? ", no file can be created there"
                : executable
                    ? ", programs can be executed there"
                    : ", programs cannot be executed there"));
  }

  private void pipelines(DoctorReport.Pipelines pipelines) {
    line("pipelines", "FileSystem " + described(pipelines.fileSystem));
    line("", "FileContext " + described(pipelines.fileContext));
    line(
        "",
        pipelines.selfCheckPassed
            ? "self-check passed: this Hadoop has all members that our pipelines need"
            : "self-check FAILED: this Hadoop lacks " + pipelines.missing);
    if (!pipelines.coders.isEmpty()) {
      List<String> coders = new ArrayList<>();
      pipelines.coders.forEach((codec, coder) -> coders.add(codec + " with " + coder));
      line(
          "",
          "our pipelines use "
              + String.join(", ", coders)
              + "; the rest of Hadoop uses the coders below");
    }
  }

  private static String described(DoctorReport.Pipeline pipeline) {
    return "reads by "
        + pipeline.read
        + ", writes by "
        + pipeline.write
        + ": "
        + pipeline.type
        + (pipeline.target == null ? "" : " over " + pipeline.target)
        + (pipeline.setBy == null ? "" : "  (" + pipeline.setBy + ")");
  }

  private void codec(DoctorReport.Codec codec) {
    out.println(
        "codec " + codec.codec + ": " + (codec.live == null ? "no coder works" : codec.live));
    out.println(
        "  "
            + codec.key
            + (codec.value == null
                ? " is not set"
                : "=" + codec.value + (codec.setBy == null ? "" : "  (" + codec.setBy + ")")));
    for (DoctorReport.Coder coder : codec.coders) {
      out.printf(
          "  %-16s %-15s %s%n",
          coder.name, coder.state, coder.reason == null ? coder.factory : coder.reason);
    }
    out.println();
  }

  private void selfTest(DoctorReport.SelfTest test) {
    line(
        "self test",
        test.knownAnswers == 0
            ? "nothing to test"
            : (test.failures.isEmpty() ? "passed: " : "FAILED: ")
                + test.knownAnswers
                + " known answers, "
                + test.comparisons
                + " comparisons with Hadoop's coders, "
                + test.patterns
                + " patterns of lost units");
  }

  private void cluster(DoctorReport.Cluster cluster) {
    line("cluster", cluster.fileSystem);
    line(
        "",
        cluster.largestPolicy == null
            ? "no policies were added"
            : "largest cells of added policies: "
                + cluster.largestCellBytes
                + " bytes, "
                + cluster.largestPolicy);
    for (DoctorReport.NameNode node : cluster.nameNodes) {
      line(
          "",
          node.name
              + ": "
              + (node.cellBytesMax == 0 ? "" : "cells up to " + node.cellBytesMax + " bytes, ")
              + node.state
              + (node.reason == null ? "" : ": " + node.reason));
    }
    for (DoctorReport.Check check : cluster.checks) {
      line("", String.format("%-9s %s: %s", check.state, check.name, check.text));
    }
  }

  private void listed(String what, List<DoctorReport.Problem> problems) {
    if (problems.isEmpty()) {
      return;
    }
    String plural = what.startsWith("check") ? "checks not made" : what + "s";
    out.println(problems.size() == 1 ? "1 " + what + ":" : problems.size() + " " + plural + ":");
    int number = 0;
    for (DoctorReport.Problem problem : problems) {
      out.println("  " + ++number + ". " + problem.text);
      out.println("     remedy: " + problem.remedy);
    }
  }
}
