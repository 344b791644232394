// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.Arrays;
import java.util.Collection;
import java.util.function.ToDoubleFunction;

/**
 * Median, quartiles, minimum and maximum of some values; the field names are those of the JSON
 * record.
 */
public final class Spread {
  public final double min;
  public final double lowerQuartile;
  public final double median;
  public final double upperQuartile;
  public final double max;

  private Spread(double[] sorted) {
    min = sorted[0];
    lowerQuartile = quantile(sorted, 0.25);
    median = quantile(sorted, 0.5);
    upperQuartile = quantile(sorted, 0.75);
    max = sorted[sorted.length - 1];
  }

  public static <T> Spread of(Collection<T> things, ToDoubleFunction<T> value) {
    if (things.isEmpty()) {
      throw new IllegalArgumentException("Cannot compute the median: there are no values");
    }
    double[] sorted = things.stream().mapToDouble(value).toArray();
    Arrays.sort(sorted);
    return new Spread(sorted);
  }

  /** Returns the spread of some values. */
  public static Spread of(Collection<Double> values) {
    return of(values, Double::doubleValue);
  }

  /** Returns half the distance between the quartiles. */
  public double halfRange() {
    return (upperQuartile - lowerQuartile) / 2;
  }

  private static double quantile(double[] sorted, double share) {
    double at = share * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
