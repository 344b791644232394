// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.stripeline.simulator.scenario.Figure;

/**
 * Draws reports as SVG with two panels each. One panel shows the throughput of encoding as bars
 * with the minimum and maximum of all runs, as in figure 8 of the paper. The other shows the gains
 * next to those of the paper, or response times over time (figure 9), or the shares of racks.
 */
public final class Plot {
  private static final int WIDTH = 1180;
  private static final int PANEL_WIDTH = 560;
  private static final int PANEL_HEIGHT = 330;
  private static final int LEFT = 60;
  private static final int TOP = 58;
  private static final int PLOT_WIDTH = 480;
  private static final int PLOT_HEIGHT = 210;
  private static final int TICKS = 5;

  /** As in figure 9 of the paper. */
  private static final int WRITES_PER_POINT = 3;

  private static final String OF_PAPER = "#111111";
  private static final String[] COLOURS = {
    "#8c8c8c", "#1f77b4", "#d62728", "#2ca02c", "#e6a117", "#9467bd", "#17becf"
  };

  private final StringBuilder svg = new StringBuilder();
  private double left;
  private double top;
  private double least;
  private double most;

  private Plot() {}

  /** Returns one drawing of all reports, one below the other. */
  public static String of(List<Report> reports) {
    Plot plot = new Plot();
    for (int i = 0; i < reports.size(); i++) {
      plot.report(reports.get(i), i);
    }
    return "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        + String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"11\">\n",
            WIDTH,
            Math.max(1, reports.size()) * PANEL_HEIGHT)
        + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        + plot.svg
        + "</svg>\n";
  }

  private void report(Report report, int row) {
    text(LEFT, row * PANEL_HEIGHT + 18, "start", report.title);
    throughput(report, row);
    if (hasPaper(report, Figure.RACK_SHARE_MOST_PERCENT)) {
      lines(report, row, "share of all replicas by rack, %, ascending", Result::rackShares);
    } else if (hasPaper(report, Figure.WRITE_SECONDS_BEFORE)) {
      lines(
          report,
          row,
          "response time of writes, s, over time, s; means of three, first run",
          result -> result.responses(WRITES_PER_POINT));
    } else {
      gains(report, row);
    }
  }

  private static boolean hasPaper(Report report, Figure figure) {
    boolean has = false;
    for (Report.Comparison comparison : report.variants.get(0).comparisons) {
      has |= comparison.paper != null && comparison.figure.equals(figure.key());
    }
    return has;
  }

  /** Draws the lines of the first variant, one for each policy. */
  private void lines(Report report, int row, String title, Function<Result, double[][]> pointsOf) {
    List<Result> results = report.variants.get(0).results;
    double latest = 1;
    double highest = 0;
    for (Result result : results) {
      for (double[] point : pointsOf.apply(result)) {
        latest = Math.max(latest, point[0]);
        highest = Math.max(highest, point[1]);
      }
    }
    begin(row, 1, title, 0, highest);
    for (Result result : results) {
      StringBuilder points = new StringBuilder();
      for (double[] point : pointsOf.apply(result)) {
        double x = left + PLOT_WIDTH * point[0] / latest;
        points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y(point[1])));
      }
      add(
          "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
          points.toString().trim(), colour(result));
    }
    text(left, y(least) + 14, "middle", "0");
    text(left + PLOT_WIDTH, y(least) + 14, "middle", String.format(Locale.ROOT, "%.0f", latest));
  }

  private void throughput(Report report, int row) {
    double highest = 0;
    for (Report.Entry entry : report.variants) {
      for (Result result : entry.results) {
        highest = Math.max(highest, result.encodeMbPerSecondMost);
      }
    }
    begin(row, 0, "encoding throughput, MB/s; mean, minimum and maximum", 0, highest);
    bars(report);
    legend(report, row);
  }

  private void bars(Report report) {
    int count = report.variants.size();
    double slot = (double) PLOT_WIDTH / count;
    for (int i = 0; i < count; i++) {
      List<Result> results = report.variants.get(i).results;
      double width = Math.min(40, slot * 0.85 / results.size());
      double x = left + slot * i + (slot - width * results.size()) / 2;
      for (int j = 0; j < results.size(); j++) {
        Result result = results.get(j);
        bar(x, width, result.encodeMbPerSecond, colour(result), result.policy);
        double middle = x + (width - 1) / 2;
        add(
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"black\"/>",
            middle, y(result.encodeMbPerSecondLeast), middle, y(result.encodeMbPerSecondMost));
        x += width;
      }
      text(left + slot * (i + 0.5), y(least) + 14, "middle", report.variants.get(i).label);
    }
  }

  private void gains(Report report, int row) {
    List<Report.Comparison> shown = new ArrayList<>();
    for (Report.Entry entry : report.variants) {
      for (Report.Comparison comparison : entry.comparisons) {
        if (isGain(comparison)) {
          shown.add(comparison);
        }
      }
    }
    double lowest = 0;
    double highest = 1;
    for (Report.Comparison comparison : shown) {
      double paper = comparison.paper == null ? 0 : comparison.paper;
      lowest = Math.min(lowest, Math.min(comparison.ours, paper));
      highest = Math.max(highest, Math.max(comparison.ours, paper));
    }
    begin(
        row,
        1,
        "gain over "
            + report.variants.get(0).results.get(0).policy
            + ", %: encoding dark, writes light; the paper's values as black lines",
        lowest,
        highest);
    double slot = (double) PLOT_WIDTH / report.variants.size();
    for (int i = 0; i < report.variants.size(); i++) {
      gainsOf(report.variants.get(i), left + slot * i, slot);
      text(left + slot * (i + 0.5), y(least) + 14, "middle", report.variants.get(i).label);
    }
  }

  private void gainsOf(Report.Entry entry, double from, double slot) {
    int count = 0;
    for (Report.Comparison comparison : entry.comparisons) {
      count += isGain(comparison) ? 1 : 0;
    }
    double width = Math.min(34, slot * 0.85 / Math.max(1, count));
    double x = from + (slot - width * count) / 2;
    for (int j = 0; j < entry.results.size(); j++) {
      for (Report.Comparison comparison : entry.comparisons) {
        if (isGain(comparison) && comparison.policy.equals(entry.results.get(j).policy)) {
          bar(
              x,
              width,
              comparison.ours,
              colour(entry.results.get(j)),
              comparison.policy + " " + comparison.figure);
          if (comparison.figure.equals(Figure.WRITE_GAIN_PERCENT.key())) {
            add(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"white\""
                    + " fill-opacity=\"0.55\"/>",
                x,
                Math.min(y(0), y(comparison.ours)),
                width - 1,
                Math.abs(y(0) - y(comparison.ours)));
          }
          if (comparison.paper != null) {
            add(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
                    + " stroke-width=\"3\"/>",
                x - 2, y(comparison.paper), x + width + 1, y(comparison.paper), OF_PAPER);
          }
          x += width;
        }
      }
    }
  }

  private static boolean isGain(Report.Comparison comparison) {
    return comparison.figure.equals(Figure.ENCODE_GAIN_PERCENT.key())
        || comparison.figure.equals(Figure.WRITE_GAIN_PERCENT.key());
  }

  /** Draws title, axis and grid of a panel. */
  private void begin(int row, int column, String title, double from, double to) {
    left = column * PANEL_WIDTH + LEFT;
    top = (double) row * PANEL_HEIGHT + TOP;
    double step = step(to - from);
    least = Math.floor(from / step) * step;
    most = Math.max(least + step, Math.ceil(to / step) * step);
    text(left, top - 8, "start", title);
    for (double value = least; value < most + step / 2; value += step) {
      add(
          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
          left, y(value), left + PLOT_WIDTH, y(value));
      text(left - 6, y(value) + 4, "end", String.format(Locale.ROOT, "%.0f", value));
    }
  }

  /** Returns 1, 2 or 5 times a power of ten that divides a range into a few steps. */
  private static double step(double range) {
    double rough = Math.max(range, 1) / TICKS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  }

  private static String colour(Result result) {
    return COLOURS[result.kind().ordinal() % COLOURS.length];
  }

  private void legend(Report report, int row) {
    double x = LEFT;
    double y = (double) row * PANEL_HEIGHT + TOP + PLOT_HEIGHT + 34;
    List<Result> results = report.variants.get(0).results;
    for (int i = 0; i < results.size(); i++) {
      add(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>",
          x, y - 10, colour(results.get(i)));
      text(x + 16, y, "start", results.get(i).policy);
      x += 34 + 7 * results.get(i).policy.length();
    }
  }

  private void bar(double x, double width, double value, String colour, String name) {
    double zero = Math.max(least, 0);
    add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s:"
            + " %.1f</title></rect>",
        x,
        Math.min(y(zero), y(value)),
        width - 1,
        Math.abs(y(zero) - y(value)),
        colour,
        name,
        value);
  }

  private double y(double value) {
    return top + PLOT_HEIGHT * (1 - (value - least) / (most - least));
  }

  private void text(double x, double y, String anchor, String text) {
    String escaped = text.replace("&", "&amp;").replace("<", "&lt;");
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
