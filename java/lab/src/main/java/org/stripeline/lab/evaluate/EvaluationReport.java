// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.stripeline.lab.bench.BenchMachine;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Release;
import org.stripeline.terminal.Spread;

/** The results of an evaluation; field names are those of the JSON. */
final class EvaluationReport {
  final String format = "stripeline-evaluation-1";
  final String version = Release.version();
  final BenchMachine machine = new BenchMachine();

  /** Of the checkout, see {@link Origin#commit}. */
  String commit;

  String command;
  String size;
  String hadoop;
  String java;
  String coder;

  /** Versions of what is compared or runs on HDFS, by name. */
  final Map<String, String> versions = new TreeMap<>();

  /** The configuration directory of the running cluster; null for clusters of this machine. */
  String cluster;

  final List<Section> sections = new ArrayList<>();

  /** Adds the versions of the programs that a measurement ran, if it names them. */
  void addVersions(JsonObject result) {
    if (result.has("versions")) {
      result
          .getAsJsonObject("versions")
          .entrySet()
          .forEach(one -> versions.put(one.getKey(), one.getValue().getAsString()));
    }
  }

  /** The worst status of all sections. */
  int status() {
    int status = ExitStatus.SOUND;
    for (Section section : sections) {
      status = ExitStatus.worse(status, section.status());
    }
    return status;
  }

  /** The experiments of one document. */
  static final class Section {
    final String name;
    final String title;
    final String document;

    /** What ran, in order. */
    final List<Run> runs = new ArrayList<>();

    final List<Figure> figures = new ArrayList<>();

    Section(String name, String title, String document) {
      this.name = name;
      this.title = title;
      this.document = document;
    }

    /** Returns the figure with this title, which several measurements can share. */
    Figure figure(String title, String difference, Measurement source) {
      Figure figure = null;
      for (Figure one : figures) {
        figure = one.title.equals(title) ? one : figure;
      }
      if (figure == null) {
        figure = new Figure(title, difference);
        figures.add(figure);
      }
      figure.commands.add(source.command());
      return figure;
    }

    /** Explains the figures of a measurement that was taken on a running cluster. */
    void onCluster(Measurement source) {
      for (Figure figure : figures) {
        if (figure.commands.contains(source.command())) {
          figure.difference =
              "Measured by clients on this machine and a running cluster, whose network, disks and"
                  + " other work differ from the document's.";
        }
      }
    }

    int status() {
      int status = ExitStatus.SOUND;
      for (Run run : runs) {
        status =
            ExitStatus.worse(
                status,
                run.failed != null
                    ? ExitStatus.FAILED
                    : run.leftOut != null ? ExitStatus.UNCHECKED : ExitStatus.SOUND);
      }
      return status;
    }
  }

  /** One measurement that was to run. */
  static final class Run {
    String command;
    double seconds;

    /**
     * Whether the result was not measured for this section: it is that of an earlier run or of
     * another section.
     */
    boolean isEarlier;

    /** Why it was not measured, or null. */
    String leftOut;

    /** What went wrong, such as wrong bytes, or null. */
    String failed;

    /** What the bench says of its figures, such as that a check was not possible. */
    final List<String> notes = new ArrayList<>();
  }

  /** A figure or table of a document, and the same measured here. */
  static final class Figure {
    final String title;

    /** Why the values differ from the document's. */
    String difference;

    /** What repeats the measurements. */
    final Set<String> commands = new LinkedHashSet<>();

    final List<Panel> panels = new ArrayList<>();
    final List<Comparison> comparisons = new ArrayList<>();

    Figure(String title, String difference) {
      this.title = title;
      this.difference = difference;
    }

    /** Returns the diagram with this title. */
    Panel panel(String title, String unit, String xTitle) {
      for (Panel panel : panels) {
        if (panel.title.equals(title)) {
          return panel;
        }
      }
      Panel panel = new Panel(title, unit, xTitle);
      panels.add(panel);
      return panel;
    }

    /** Adds a published value as text, and the value measured here; nothing if that is null. */
    void compare(String what, String published, Double here, String unit) {
      if (here != null) {
        comparisons.add(new Comparison(what, published, here, unit));
      }
    }

    /** Adds a published ratio as text, and that of two values here; nothing if one is null. */
    void compareRatio(String what, String published, Double one, Double other) {
      if (one != null && other != null) {
        compare(what, published, one / other, "x");
      }
    }

    /** As {@link #compareRatio}, in percent above or below the other value. */
    void compareChange(String what, String published, Double one, Double other) {
      if (one != null && other != null) {
        compare(what, published, 100 * (one / other - 1), "%");
      }
    }
  }

  /** One diagram: bars in groups, or lines over x. */
  static final class Panel {
    final String title;
    final String unit;

    /** The title of the x axis of lines; null for bars. */
    final String xTitle;

    final List<Value> values = new ArrayList<>();

    Panel(String title, String unit, String xTitle) {
      this.title = title;
      this.unit = unit;
      this.xTitle = xTitle;
    }

    /** Adds a bar; {@code limit} is what the links allow, or null. */
    void bar(String series, String group, Spread spread, Double limit) {
      values.add(new Value(series, group, null, spread.median, spread.min, spread.max, limit));
    }

    /** Adds a bar of one value. */
    void bar(String series, String group, double value) {
      values.add(new Value(series, group, null, value, value, value, null));
    }

    /** Adds a point of one value. */
    void point(String series, double x, double value) {
      values.add(new Value(series, null, x, value, value, value, null));
    }

    /** Adds a point of a line. */
    void point(String series, double x, Spread spread) {
      values.add(new Value(series, null, x, spread.median, spread.min, spread.max, null));
    }
  }

  /** A measured value. */
  static final class Value {
    final String series;
    final String group;
    final Double x;
    final double median;
    final double min;
    final double max;
    final Double limit;

    Value(
        String series,
        String group,
        Double x,
        double median,
        double min,
        double max,
        Double limit) {
      this.series = series;
      this.group = group;
      this.x = x;
      this.median = median;
      this.min = min;
      this.max = max;
      this.limit = limit;
    }
  }

  /** A statement of a document with its value, and the value here. */
  static final class Comparison {
    final String what;
    final String published;
    final double here;
    final String unit;

    Comparison(String what, String published, double here, String unit) {
      this.what = what;
      this.published = published;
      this.here = here;
      this.unit = unit;
    }
  }
}
