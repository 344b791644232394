// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.simulator.scenario.Constants;
import org.stripeline.simulator.scenario.Figure;
import org.stripeline.simulator.scenario.Labels;
import org.stripeline.simulator.scenario.Policy;
import org.stripeline.simulator.scenario.Scenario;
import org.stripeline.simulator.scenario.Variant;
import org.stripeline.terminal.Spread;

/**
 * The results of a scenario. Field names are those of the JSON; numbers that are not finite are
 * absent.
 */
public final class Report {
  public final String scenario;
  public final String title;
  public final String about;
  public final long seed;
  public final int seeds;
  public final Double tolerancePoints;

  /** The constants of the first variant. */
  public final Map<String, Constant> constants;

  public final List<Entry> variants = new ArrayList<>();
  final transient List<Figure> plotted;

  Report(Scenario scenario, long seed) {
    this.scenario = scenario.name();
    this.title = scenario.title();
    this.about = scenario.about();
    this.seed = seed;
    this.seeds = scenario.seeds();
    this.plotted = scenario.plotted();
    this.tolerancePoints =
        Double.isNaN(scenario.tolerancePoints()) ? null : scenario.tolerancePoints();
    this.constants = constants(scenario.variants().get(0).constants());
  }

  private static Map<String, Constant> constants(Constants given) {
    Map<String, Constant> shown = new LinkedHashMap<>();
    for (String name : given.names()) {
      shown.put(name, new Constant(given.text(name), given.source(name)));
    }
    return shown;
  }

  void add(Variant variant, List<Result> results) {
    Map<String, Constant> own = constants(variant.constants());
    own.entrySet()
        .removeIf(entry -> entry.getValue().value.equals(constants.get(entry.getKey()).value));
    variants.add(new Entry(own, variant, results, tolerancePoints));
  }

  /** Returns how many values differ from the paper by more than the tolerance of the scenario. */
  public int beyondTolerance() {
    int count = 0;
    for (Entry entry : variants) {
      for (Comparison comparison : entry.comparisons) {
        count += Boolean.FALSE.equals(comparison.isWithinTolerance) ? 1 : 0;
      }
    }
    return count;
  }

  /** One variant. */
  public static final class Entry {
    public final String label;

    /** The constants that differ from those of the first variant. */
    public final Map<String, Constant> changed;

    public final List<Result> results;
    public final List<Comparison> comparisons = new ArrayList<>();

    Entry(
        Map<String, Constant> changed,
        Variant variant,
        List<Result> results,
        Double tolerancePoints) {
      this.label = variant.label();
      this.changed = changed;
      this.results = results;
      Result first = results.get(0);
      for (Result result : results) {
        for (Figure figure : Figure.values()) {
          double ours = result.figure(figure, first);
          boolean isOfItself = figure.isRelative() && result == first;
          if (!Double.isNaN(ours) && !isOfItself) {
            Comparison found = new Comparison(result.kind(), figure, ours);
            found.spread = result.spread(figure, first);
            found.compare(variant, tolerancePoints);
            comparisons.add(found);
          }
        }
      }
    }

    /** Returns the comparison of one figure for a policy, null if there is none. */
    public Comparison find(Policy policy, Figure figure) {
      for (Comparison comparison : comparisons) {
        if (comparison.kind == policy && comparison.which == figure) {
          return comparison;
        }
      }
      return null;
    }
  }

  /** A constant with its source. */
  public static final class Constant {
    public final String value;
    public final String source;

    Constant(String value, String source) {
      this.value = value;
      this.source = source;
    }
  }

  /** A simulated value, and what the paper or a measurement gives for it. */
  public static final class Comparison {
    public final String policy;
    public final String figure;
    public final double ours;

    /** Over the runs; null if a run has no value. */
    public Spread spread;

    /** Null if the paper has no value. */
    public Double paper;

    /** Null if the scenario has no tolerance or the paper no value. */
    public Boolean isWithinTolerance;

    /** The value measured on a cluster, null if there is none. */
    public Double measured;

    /** The simulated value as a multiple of the measured one, null if there is none. */
    public Double ofMeasured;

    private final transient Policy kind;
    private final transient Figure which;

    Comparison(Policy kind, Figure which, double ours) {
      this.kind = kind;
      this.which = which;
      this.policy = Labels.of(kind);
      this.figure = which.key();
      this.ours = ours;
    }

    void compare(Variant variant, Double tolerancePoints) {
      paper = variant.paper(kind, which);
      if (paper != null && tolerancePoints != null) {
        isWithinTolerance = Math.abs(ours - paper) <= tolerancePoints;
      }
      measured = variant.measured(kind, which);
      ofMeasured = measured == null ? null : ours / measured;
    }
  }
}
