// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.stripeline.lab.bench.Spread;

/**
 * Draws rows as SVG: bars for each policy and number of threads on the loopback, and lines over the
 * link rate for each operation on a shaped network, with a reference line for fully used links.
 */
public final class IoPlot {
  private static final int WIDTH = 1100;
  private static final int PANEL = 330;
  private static final int LEFT = 70;
  private static final int TOP = 40;
  private static final int PLOT_HEIGHT = 230;
  private static final int LEGEND = 200;
  private static final int TICKS = 5;
  private static final double MIB_PER_MBIT = 1e6 / 8 / (1 << 20);

  private static final String[] COLOURS = {
    "#8c8c8c", "#bdbdbd", "#d62728", "#ff9896", "#1f77b4", "#aec7e8", "#e6c229", "#2ca02c",
    "#98df8a", "#9467bd", "#e377c2", "#111111"
  };

  private static final String RATE = ": MiB/s of user data, median, minimum and maximum";

  private final List<IoReport.Row> rows;
  private final StringBuilder svg = new StringBuilder();
  private int panels;

  IoPlot(List<IoReport.Row> rows) {
    this.rows = rows;
  }

  /** One bar of a plot: the group it belongs to, its contestant, its value and its colour. */
  public static final class Bar {
    private final String group;
    private final String series;
    private final String colour;
    private final Spread value;

    public Bar(String group, String series, String colour, Spread value) {
      this.group = group;
      this.series = series;
      this.colour = colour;
      this.value = value;
    }
  }

  /** Draws one panel of bars as SVG; texts must not need escapes. */
  public static String render(String title, String unit, List<Bar> bars) {
    IoPlot plot = new IoPlot(new ArrayList<>());
    plot.drawBars(title, unit, bars);
    return plot.document();
  }

  String render() {
    Map<String, List<IoReport.Row>> bars = new LinkedHashMap<>();
    Map<String, List<IoReport.Row>> lines = new LinkedHashMap<>();
    for (IoReport.Row row : rows) {
      if (row.linkMbit == IoSettings.LOOPBACK) {
        bars.computeIfAbsent(IoTable.title(row), key -> new ArrayList<>()).add(row);
      } else {
        String title = row.operation + ", " + row.policy + ", " + row.threads + " threads";
        lines.computeIfAbsent(title, key -> new ArrayList<>()).add(row);
      }
    }
    bars.forEach(this::bars);
    lines.forEach(this::lines);
    return document();
  }

  private String document() {
    return "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        + String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\">\n",
            WIDTH,
            Math.max(1, panels) * PANEL)
        + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        + svg
        + "</svg>\n";
  }

  private void bars(String title, List<IoReport.Row> group) {
    List<Bar> bars = new ArrayList<>();
    for (String contestant : contestants(group)) {
      for (IoReport.Row row : group) {
        if (row.contestant.equals(contestant)) {
          bars.add(new Bar(row.operation, contestant, colour(contestant), row.mibPerSecond));
        }
      }
    }
    drawBars(title + RATE, "MiB/s", bars);
  }

  private void drawBars(String title, String unit, List<Bar> bars) {
    double most = bars.stream().mapToDouble(bar -> bar.value.max).max().orElse(1);
    Scale scale = begin(title, Math.max(most, Double.MIN_NORMAL));
    Map<String, List<Bar>> groups = new LinkedHashMap<>();
    bars.forEach(bar -> groups.computeIfAbsent(bar.group, key -> new ArrayList<>()).add(bar));
    double slot = (double) (WIDTH - LEFT - LEGEND) / groups.size();
    double left = LEFT;
    for (Map.Entry<String, List<Bar>> group : groups.entrySet()) {
      double width = Math.min(26, slot * 0.9 / group.getValue().size());
      double x = left + (slot - width * group.getValue().size()) / 2;
      for (Bar bar : group.getValue()) {
        double y = scale.y(bar.value.median);
        add(
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s %s:"
                + " %.0f %s</title></rect>",
            x,
            y,
            width - 1,
            scale.y(0) - y,
            bar.colour,
            bar.group,
            bar.series,
            bar.value.median,
            unit);
        double middle = x + (width - 1) / 2;
        add(
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"black\"/>",
            middle, scale.y(bar.value.min), middle, scale.y(bar.value.max));
        x += width;
      }
      text(left + slot / 2, scale.y(0) + 16, "middle", group.getKey());
      left += slot;
    }
    Map<String, String> colours = new LinkedHashMap<>();
    bars.forEach(bar -> colours.put(bar.series, bar.colour));
    legend(colours, false);
  }

  private void lines(String title, List<IoReport.Row> group) {
    TreeSet<Integer> rates = new TreeSet<>();
    group.forEach(row -> rates.add(row.linkMbit));
    double most = group.stream().mapToDouble(row -> row.mibPerSecond.max).max().orElse(1) * 1.3;
    Scale scale = begin(title + RATE, most);
    double perMbit = (double) (WIDTH - LEFT - LEGEND - 20) / rates.last();
    for (int rate : rates) {
      text(LEFT + rate * perMbit, scale.y(0) + 16, "middle", String.valueOf(rate));
    }
    text(WIDTH - LEGEND, scale.y(0) + 32, "end", "link rate, Mbit/s");
    for (String contestant : contestants(group)) {
      StringBuilder points = new StringBuilder();
      for (int rate : rates) {
        for (IoReport.Row row : group) {
          if (row.linkMbit == rate && row.contestant.equals(contestant)) {
            double x = LEFT + rate * perMbit;
            double y = scale.y(row.mibPerSecond.median);
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
            add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour(contestant));
          }
        }
      }
      add(
          "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
          points.toString().trim(), colour(contestant));
    }
    int links = Integer.parseInt(group.get(0).policy.split("-")[1]);
    double full = Math.min(rates.last(), most / (links * MIB_PER_MBIT));
    add(
        "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"black\""
            + " stroke-dasharray=\"5 4\"/>",
        LEFT, scale.y(0), LEFT + full * perMbit, scale.y(full * links * MIB_PER_MBIT));
    Map<String, String> colours = new LinkedHashMap<>();
    contestants(group).forEach(name -> colours.put(name, colour(name)));
    legend(colours, true);
  }

  private static List<String> contestants(List<IoReport.Row> group) {
    List<String> names = new ArrayList<>();
    for (IoContestant contestant : IoContestant.values()) {
      if (group.stream().anyMatch(row -> row.contestant.equals(contestant.label()))) {
        names.add(contestant.label());
      }
    }
    return names;
  }

  private static String colour(String contestant) {
    return COLOURS[IoContestant.parse(contestant).ordinal() % COLOURS.length];
  }

  /** Draws title, axis and grid of the next panel. */
  private Scale begin(String title, double most) {
    Scale scale = new Scale(panels++ * PANEL + TOP, most);
    text(LEFT, scale.top - 14, "start", title);
    for (int tick = 0; tick <= TICKS; tick++) {
      double value = most * tick / TICKS;
      add(
          "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
          LEFT, scale.y(value), WIDTH - LEGEND, scale.y(value));
      text(LEFT - 6, scale.y(value) + 4, "end", String.format(Locale.ROOT, "%.0f", value));
    }
    return scale;
  }

  private void legend(Map<String, String> colours, boolean withFull) {
    double y = (panels - 1) * PANEL + TOP + 10;
    for (Map.Entry<String, String> series : colours.entrySet()) {
      add(
          "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>",
          WIDTH - LEGEND + 16, y - 10, series.getValue());
      text(WIDTH - LEGEND + 34, y, "start", series.getKey());
      y += 18;
    }
    if (withFull) {
      text(WIDTH - LEGEND + 16, y, "start", "- - all data links saturated");
    }
  }

  private void text(double x, double y, String anchor, String text) {
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, text);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** Converts values to heights. */
  private static final class Scale {
    private final double top;
    private final double most;

    Scale(double top, double most) {
      this.top = top;
      this.most = most;
    }

    double y(double value) {
      return top + PLOT_HEIGHT * (1 - value / most);
    }
  }
}
