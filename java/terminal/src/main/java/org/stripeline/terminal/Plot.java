// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/**
 * Draws panels of bars, boxes or lines as SVG, one below the other. A series has the same colour in
 * all panels.
 */
public final class Plot {
  private static final int LEFT = 70;
  private static final int TOP = 40;
  private static final int PLOT_HEIGHT = 230;

  /** Below the axis: names of groups, the title of x, and the distance to the next panel. */
  private static final int BOTTOM = 60;

  /** Room for a legend beside the plot. */
  private static final int LEGEND_WIDTH = 210;

  private static final int LEGEND_LINE = 18;

  private static final int LEGEND_COLUMNS = 2;

  /** Estimated width of a character. */
  private static final double CHARACTER = 6.6;

  private static final int TITLE_LINE = 16;

  /**
   * Names of groups that do not fit side by side are turned by the first angle with which they do.
   */
  private static final int[] ANGLES = {0, 25, 45, 90};

  /** Of longer names of groups only the ends are drawn, which differ in those of paths. */
  private static final int NAME_LENGTH_MAX = 36;

  private static final int BAR_WIDTH_MAX = 40;
  private static final int TICKS = 5;

  /** With at most this many values of x, each has a tick, and each point of a line a dot. */
  private static final int FEW_POINTS = 12;

  private static final String[] COLOURS = {
    "#1f77b4", "#d62728", "#8c8c8c", "#2ca02c", "#e6a117", "#9467bd", "#17becf", "#ff9896",
    "#aec7e8", "#98df8a", "#e377c2", "#bdbdbd"
  };

  private final List<String> series;
  private final List<Panel> panels = new ArrayList<>();
  private final StringBuilder svg = new StringBuilder();
  private boolean isLegendBelow;
  private int plotWidth = 820;

  /** Creates a plot; the order of series, of which more may follow, decides on their colours. */
  public Plot(String... series) {
    this.series = new ArrayList<>(Arrays.asList(series));
  }

  /** Makes the plot narrow enough for small screens, with the legend below each panel. */
  public Plot legendBelow() {
    isLegendBelow = true;
    plotWidth = 430;
    return this;
  }

  /** Adds a panel; {@code xTitle} is shown below the x axis of lines. */
  public Panel panel(String title, String unit, String xTitle) {
    panels.add(new Panel(title, unit, xTitle));
    return panels.get(panels.size() - 1);
  }

  /** Returns the document, without panels that are empty. */
  public String render() {
    svg.setLength(0);
    panels.removeIf(panel -> panel.bars.isEmpty() && panel.lines.isEmpty());
    add("<!-- SPDX-License-Identifier: Apache-2.0 -->");
    int height = panels.stream().mapToInt(Panel::height).sum();
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">",
        width(), Math.max(1, height), width(), Math.max(1, height));
    add("<rect class=\"background\" width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    int top = TOP;
    for (Panel panel : panels) {
      panel.draw(top);
      top += panel.height();
    }
    return svg.append("</svg>\n").toString();
  }

  private int width() {
    return right() + (isLegendBelow ? 10 : LEGEND_WIDTH);
  }

  private int right() {
    return LEFT + plotWidth;
  }

  private String colour(String name) {
    if (!series.contains(name)) {
      series.add(name);
    }
    return COLOURS[series.indexOf(name) % COLOURS.length];
  }

  /** Returns 1, 2, 5 or 10 times a power of ten that divides a range into a few steps. */
  private static double step(double range) {
    double rough = (range > 0 ? range : 1) / TICKS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    double times = rough / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  }

  private static List<Double> ticks(double least, double most) {
    double step = step(most - least);
    List<Double> ticks = new ArrayList<>();
    double first = Math.floor(least / step);
    for (double tick = first; tick <= Math.max(first + 1, Math.ceil(most / step)); tick++) {
      ticks.add(tick * step);
    }
    return ticks;
  }

  private static String number(double value) {
    return new DecimalFormat("0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void line(double x1, double y1, double x2, double y2, String style) {
    add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>", x1, y1, x2, y2, style);
  }

  private void text(double x, double y, String anchor, String text) {
    add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escape(text));
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** A panel: give it bars and boxes, or points, not both. */
  public final class Panel {
    private final String title;
    private final String unit;
    private final String xTitle;
    private final Map<String, List<Bar>> bars = new LinkedHashMap<>();
    private final Map<String, List<double[]>> lines = new LinkedHashMap<>();
    private final TreeSet<String> shown = new TreeSet<>();
    private final TreeSet<Double> xs = new TreeSet<>();
    private final TreeSet<Double> ys = new TreeSet<>();
    private String reference;
    private double slope;
    private double top;
    private double least;
    private double most;

    private Panel(String title, String unit, String xTitle) {
      this.title = title;
      this.unit = unit;
      this.xTitle = xTitle;
      ys.add(0.0);
    }

    /** Adds a bar with a line from {@code min} to {@code max}, and a mark unless it is null. */
    public void bar(String group, String name, double value, double min, double max, Double mark) {
      addBar(group, new Bar(name, 0, value, min, max, value, mark, false));
    }

    /**
     * Adds a box from the lower to the upper quartile, with a white line at the median, a line from
     * minimum to maximum, and a mark unless it is null.
     */
    public void box(String group, String name, Spread spread, Double mark) {
      addBar(
          group,
          new Bar(
              name,
              spread.lowerQuartile,
              spread.upperQuartile,
              spread.min,
              spread.max,
              spread.median,
              mark,
              true));
    }

    private void addBar(String group, Bar bar) {
      bars.computeIfAbsent(group, key -> new ArrayList<>()).add(bar);
      note(bar.name, bar.from, bar.to, bar.min, bar.max, bar.mark);
    }

    /** Adds a point to the line of a series. */
    public void point(String name, double x, double y) {
      lines.computeIfAbsent(name, key -> new ArrayList<>()).add(new double[] {x, y});
      xs.add(x);
      note(name, y);
    }

    /** Adds a dashed line from the origin. */
    public void reference(String name, double slope) {
      this.reference = name;
      this.slope = slope;
    }

    private void note(String name, double... values) {
      colour(name);
      shown.add(name);
      Arrays.stream(values).forEach(ys::add);
    }

    private void draw(double above) {
      List<String> titles = titleLines();
      for (int i = 0; i < titles.size(); i++) {
        text(LEFT, above - 14 + i * TITLE_LINE, "start", titles.get(i));
      }
      top = above + (titles.size() - 1) * TITLE_LINE;
      List<Double> ticks = ticks(ys.first(), ys.last());
      least = ticks.get(0);
      most = ticks.get(ticks.size() - 1);
      for (double tick : ticks) {
        line(LEFT, y(tick), right(), y(tick), "stroke=\"currentColor\" stroke-opacity=\"0.15\"");
        text(LEFT - 6, y(tick) + 4, "end", number(tick));
      }
      drawBars();
      drawLines();
      drawLegend();
    }

    private void drawBars() {
      double slot = (double) plotWidth / Math.max(1, bars.size());
      double left = LEFT;
      for (Map.Entry<String, List<Bar>> group : bars.entrySet()) {
        double width = Math.min(BAR_WIDTH_MAX, slot * 0.9 / group.getValue().size());
        double x = left + (slot - width * group.getValue().size()) / 2;
        for (Bar bar : group.getValue()) {
          drawBar(group.getKey(), bar, x, width);
          x += width;
        }
        drawGroupName(group.getKey(), left + slot / 2);
        left += slot;
      }
    }

    /** Returns the title in lines that are not wider than the plot. */
    private List<String> titleLines() {
      List<String> lines = new ArrayList<>();
      int most = (int) (plotWidth / CHARACTER);
      String line = "";
      for (String word : title.split(" ")) {
        if (!line.isEmpty() && line.length() + 1 + word.length() > most) {
          lines.add(line);
          line = word;
        } else {
          line = line.isEmpty() ? word : line + " " + word;
        }
      }
      lines.add(line);
      return lines;
    }

    private void drawGroupName(String name, double x) {
      double y = y(least) + 16;
      int angle = angle();
      if (angle == 0) {
        text(x, y, "middle", shortened(name));
      } else {
        add(
            "<text transform=\"translate(%.1f %.1f) rotate(-%d)\" text-anchor=\"end\">%s</text>",
            x + 5, y - 4, angle, escape(shortened(name)));
      }
    }

    private String shortened(String name) {
      return name.length() <= NAME_LENGTH_MAX
          ? name
          : "…" + name.substring(name.length() - NAME_LENGTH_MAX + 1);
    }

    /** Returns the width of the longest name of a group. */
    private double nameWidth() {
      return CHARACTER
          * bars.keySet().stream().map(this::shortened).mapToInt(String::length).max().orElse(0);
    }

    /** Returns the angle in degrees by which names of groups are turned. */
    private int angle() {
      double slot = (double) plotWidth / Math.max(1, bars.size());
      for (int angle : ANGLES) {
        // Turned names end below the middle of their group, the first of which is at the left.
        double room = angle == 0 ? slot : LEFT + slot / 2;
        if (nameWidth() * Math.cos(Math.toRadians(angle)) < room) {
          return angle;
        }
      }
      throw new AssertionError("an upright name needs no width");
    }

    /** Returns the room that turned names of groups take below the axis. */
    private double slant() {
      return nameWidth() * Math.sin(Math.toRadians(angle()));
    }

    private int height() {
      int legend = isLegendBelow ? legendLines() * LEGEND_LINE : 0;
      int titles = (titleLines().size() - 1) * TITLE_LINE;
      return TOP + titles + PLOT_HEIGHT + BOTTOM + legend + (int) slant();
    }

    private int legendLines() {
      int entries = shown.size() + (reference == null ? 0 : 1);
      return (entries + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS;
    }

    private void drawBar(String group, Bar bar, double x, double width) {
      String about = group + " " + bar.name + ": " + number(bar.value) + " " + unit;
      double end = x + width - 1;
      double middle = (x + end) / 2;
      String style = "stroke=\"currentColor\"";
      if (bar.isBox) {
        line(middle, y(bar.min), middle, y(bar.max), style);
        line(x + width / 4, y(bar.min), end - width / 4, y(bar.min), style);
        line(x + width / 4, y(bar.max), end - width / 4, y(bar.max), style);
      }
      add(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\""
              + " stroke=\"%s\"><title>%s</title></rect>",
          x,
          Math.min(y(bar.from), y(bar.to)),
          width - 1,
          Math.abs(y(bar.from) - y(bar.to)),
          colour(bar.name),
          colour(bar.name),
          escape(about));
      if (bar.isBox) {
        line(x, y(bar.value), end, y(bar.value), "stroke=\"white\" stroke-width=\"2\"");
      } else {
        line(middle, y(bar.min), middle, y(bar.max), style);
      }
      if (bar.mark != bar.value) {
        line(x - 2, y(bar.mark), end + 2, y(bar.mark), style + " stroke-width=\"3\"");
      }
    }

    private void drawLines() {
      if (lines.isEmpty()) {
        return;
      }
      boolean isFew = xs.size() <= FEW_POINTS;
      // The axis has the origin, where reference lines begin.
      double first = Math.min(0, xs.first());
      List<Double> ticks = isFew ? new ArrayList<>(xs) : ticks(first, xs.last());
      double from = Math.min(first, ticks.get(0));
      double end = Math.max(0, ticks.get(ticks.size() - 1));
      double scale = plotWidth / (end > from ? end - from : 1);
      DoubleUnaryOperator place = x -> LEFT + (x - from) * scale;
      for (double tick : ticks) {
        text(place.applyAsDouble(tick), y(least) + 16, "middle", number(tick));
      }
      text(right(), y(least) + 32, "end", xTitle);
      lines.forEach(
          (name, points) -> {
            StringBuilder path = new StringBuilder();
            for (double[] point : points) {
              double x = place.applyAsDouble(point[0]);
              path.append(String.format(Locale.ROOT, " %.1f,%.1f", x, y(point[1])));
              if (isFew) {
                add(
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
                    x, y(point[1]), colour(name));
              }
            }
            add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
                path.substring(1), colour(name));
          });
      if (reference != null) {
        double x = Math.min(end, most / slope);
        String style = "stroke=\"currentColor\" stroke-dasharray=\"5 4\"";
        line(place.applyAsDouble(0), y(0), place.applyAsDouble(x), y(x * slope), style);
      }
    }

    private void drawLegend() {
      int drawn = 0;
      for (String name : series) {
        if (shown.contains(name)) {
          double x = legendX(drawn);
          double y = legendY(drawn++);
          add(
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\"/>",
              x, y - 10, colour(name));
          text(x + 18, y, "start", name);
        }
      }
      if (reference != null) {
        text(legendX(drawn), legendY(drawn), "start", "- - " + reference);
      }
    }

    private double legendX(int entry) {
      return isLegendBelow
          ? LEFT + entry % LEGEND_COLUMNS * (double) plotWidth / LEGEND_COLUMNS
          : right() + 26;
    }

    private double legendY(int entry) {
      return isLegendBelow
          ? top + PLOT_HEIGHT + BOTTOM - 10 + slant() + entry / LEGEND_COLUMNS * LEGEND_LINE
          : top + 10 + entry * LEGEND_LINE;
    }

    private double y(double value) {
      return top + PLOT_HEIGHT * (1 - (value - least) / (most - least));
    }
  }

  /** A bar from zero to its value, or a box around its value. */
  private static final class Bar {
    private final String name;
    private final double from;
    private final double to;
    private final double min;
    private final double max;
    private final double value;
    private final double mark;
    private final boolean isBox;

    Bar(
        String name,
        double from,
        double to,
        double min,
        double max,
        double value,
        Double mark,
        boolean isBox) {
      this.name = name;
      this.from = from;
      this.to = to;
      this.min = min;
      this.max = max;
      this.value = value;
      this.mark = mark == null ? value : mark;
      this.isBox = isBox;
    }
  }
}
