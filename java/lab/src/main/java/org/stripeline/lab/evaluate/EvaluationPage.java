// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Page;
import org.stripeline.terminal.Plot;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.TextTable;

/** Formats an evaluation as a page. */
final class EvaluationPage {
  private final EvaluationReport report;

  EvaluationPage(EvaluationReport report) {
    this.report = report;
  }

  Page page() {
    Page page = new Page("Stripeline evaluation");
    page.paragraph(
        String.format(
            "%s, %d processors, Linux %s; Stripeline %s (%s), commit %s, Hadoop %s, Java %s; size"
                + " %s",
            report.machine.processorName(),
            report.machine.processors,
            report.machine.kernel,
            report.version,
            report.coder,
            report.commit,
            report.hadoop,
            report.java,
            report.size));
    if (!report.versions.isEmpty()) {
      page.paragraph(
          "Other versions on this machine: "
              + report.versions.entrySet().stream()
                  .map(one -> one.getKey() + " " + one.getValue())
                  .collect(Collectors.joining(", ")));
    }
    page.paragraph(
        "Published values are those of the documents, measured on their machines. "
            + (report.cluster == null
                ? "Clients and servers here share this machine, so compare ratios, not rates."
                : "Clients ran on this machine, on the cluster of " + report.cluster + "."));
    TextTable table = new TextTable("section", "figures", "time", "state");
    for (EvaluationReport.Section section : report.sections) {
      double seconds = section.runs.stream().mapToDouble(run -> run.seconds).sum();
      int status = section.status();
      table.row(
          section.title,
          String.valueOf(section.figures.size()),
          Quantity.duration(seconds),
          status == ExitStatus.SOUND
              ? "measured"
              : status == ExitStatus.FAILED ? "failed" : "left out");
    }
    page.table(table);
    report.sections.forEach(section -> add(page, section));
    return page;
  }

  /** Returns all plots as SVG documents, by section and number, for other documents. */
  Map<String, String> plots() {
    Map<String, String> plots = new LinkedHashMap<>();
    for (EvaluationReport.Section section : report.sections) {
      int number = 0;
      for (EvaluationReport.Figure figure : section.figures) {
        for (EvaluationReport.Panel panel : figure.panels) {
          plots.put(section.name + "-" + ++number, plot(panel).legendBelow().render());
        }
      }
    }
    return plots;
  }

  private static void add(Page page, EvaluationReport.Section section) {
    page.section(section.name, section.title);
    page.paragraph(section.document);
    for (EvaluationReport.Run run : section.runs) {
      if (run.failed != null) {
        page.failure("Failed: " + run.failed);
      } else if (run.leftOut != null) {
        page.failure("Left out: " + run.leftOut);
      }
      run.notes.forEach(note -> page.paragraph("Note: " + note));
    }
    for (EvaluationReport.Figure figure : section.figures) {
      page.heading(figure.title);
      List<Plot> plots = new ArrayList<>();
      figure.panels.forEach(panel -> plots.add(plot(panel)));
      page.plots(plots);
      page.table(comparisons(figure));
      page.paragraph(figure.difference);
      page.details("Data and commands", data(figure));
    }
  }

  private static Plot plot(EvaluationReport.Panel panel) {
    Plot plot = new Plot();
    Plot.Panel drawn =
        plot.panel(
            panel.title + ", " + panel.unit, panel.unit, panel.xTitle == null ? "" : panel.xTitle);
    for (EvaluationReport.Value value : panel.values) {
      if (value.x == null) {
        drawn.bar(value.group, value.series, value.median, value.min, value.max, value.limit);
      } else {
        drawn.point(value.series, value.x, value.median);
      }
    }
    return plot;
  }

  private static String data(EvaluationReport.Figure figure) {
    StringBuilder text = new StringBuilder(String.join("\n", figure.commands)).append("\n\n");
    for (EvaluationReport.Panel panel : figure.panels) {
      text.append(panel.title).append(", ").append(panel.unit).append(": median, min, max\n");
      for (EvaluationReport.Value value : panel.values) {
        text.append(
            String.format(
                Locale.ROOT,
                "%-24s %-16s %s %s %s\n",
                value.series,
                value.group == null ? number(value.x) : value.group,
                number(value.median),
                number(value.min),
                number(value.max)));
      }
    }
    return text.toString();
  }

  /** Returns the published values and those measured here. */
  static TextTable comparisons(EvaluationReport.Figure figure) {
    TextTable table = new TextTable("", "published", "here", "unit");
    for (EvaluationReport.Comparison one : figure.comparisons) {
      table.row(one.what, one.published, number(one.here), one.unit);
    }
    return table;
  }

  private static String number(double value) {
    double size = Math.abs(value);
    return String.format(Locale.ROOT, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", value);
  }
}
