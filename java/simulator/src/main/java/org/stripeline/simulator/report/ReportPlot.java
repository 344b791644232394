// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.List;
import java.util.function.Function;
import org.stripeline.simulator.scenario.Figure;
import org.stripeline.terminal.Plot;

/**
 * Draws reports: the throughput of encoding with the minimum and maximum of all runs, as in figure
 * 8 of the paper, then box plots of gains or other figures over all runs, or response times over
 * time (figure 9), or the shares of racks.
 */
public final class ReportPlot {
  /** As in figure 9 of the paper. */
  private static final int WRITES_PER_POINT = 3;

  private final Plot plot = new Plot();

  private ReportPlot() {}

  /** Returns one drawing of all reports, one below the other. */
  public static Plot of(List<Report> reports) {
    ReportPlot drawing = new ReportPlot();
    reports.forEach(drawing::draw);
    return drawing.plot;
  }

  private void draw(Report report) {
    Plot.Panel panel =
        plot.panel(
            report.title + ": encoding throughput, MB/s; mean, minimum and maximum", "MB/s", "");
    for (Report.Entry entry : report.variants) {
      for (Result result : entry.results) {
        panel.bar(
            entry.label,
            result.policy,
            result.encodeMbPerSecond,
            result.encodeMbPerSecondSpread.min,
            result.encodeMbPerSecondSpread.max,
            null);
      }
    }
    if (hasPaper(report, Figure.RACK_SHARE_MOST_PERCENT)) {
      lines(report, "share of all replicas by rack, %", "racks, ascending", Result::rackShares);
    } else if (hasPaper(report, Figure.WRITE_SECONDS_BEFORE)) {
      lines(
          report,
          "response time of writes, s; means of three, first run",
          "time, s",
          result -> result.responses(WRITES_PER_POINT));
    } else {
      report.plotted.forEach(figure -> boxes(report, figure));
    }
  }

  private static boolean hasPaper(Report report, Figure figure) {
    return report.variants.get(0).comparisons.stream()
        .anyMatch(found -> found.paper != null && found.figure.equals(figure.key()));
  }

  /** Draws the lines of the first variant, one for each policy. */
  private void lines(
      Report report, String title, String xTitle, Function<Result, double[][]> pointsOf) {
    Plot.Panel panel = plot.panel(report.title + ": " + title, "", xTitle);
    for (Result result : report.variants.get(0).results) {
      for (double[] point : pointsOf.apply(result)) {
        panel.point(result.policy, point[0], point[1]);
      }
    }
  }

  /** Draws a box for each variant and policy; relative values compare runs with the same seed. */
  private void boxes(Report report, Figure figure) {
    String name = figure.key().replace('_', ' ');
    String of = figure.isRelative() ? " over " + report.variants.get(0).results.get(0).policy : "";
    Plot.Panel panel =
        plot.panel(report.title + ": " + name + of + "; known values as black lines", "", "");
    for (Report.Entry entry : report.variants) {
      for (Report.Comparison found : entry.comparisons) {
        if (found.figure.equals(figure.key()) && found.spread != null) {
          Double known = found.paper == null ? found.measured : found.paper;
          panel.box(entry.label, found.policy, found.spread, known);
        }
      }
    }
  }
}
