// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.util.List;

/** Reports as JSON. */
public final class ReportJson {
  /** Values are rounded to six digits after the point, more than their accuracy. */
  private static final double PRECISION = 1e6;

  private ReportJson() {}

  /**
   * Returns one object for each report; numbers that are not finite are omitted, in lists they are
   * null.
   */
  public static JsonElement of(List<Report> reports) {
    JsonSerializer<Double> numbers =
        (value, type, context) ->
            value.isNaN() || value.isInfinite()
                ? JsonNull.INSTANCE
                : new JsonPrimitive(rounded(value));
    return new GsonBuilder()
        .registerTypeAdapter(double.class, numbers)
        .registerTypeAdapter(Double.class, numbers)
        .create()
        .toJsonTree(reports);
  }

  private static double rounded(double value) {
    return Math.abs(value) < PRECISION ? Math.rint(value * PRECISION) / PRECISION : value;
  }
}
