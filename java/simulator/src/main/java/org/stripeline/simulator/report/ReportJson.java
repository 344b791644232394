// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.util.List;

/** Reports as JSON. */
public final class ReportJson {
  /** Six digits after the point are more than any figure means. */
  private static final double PRECISION = 1e6;

  private ReportJson() {}

  /** Returns the text, ended by a line feed; what is no number is left out, in lists null. */
  public static String of(List<Report> reports) {
    JsonSerializer<Double> numbers =
        (value, type, context) ->
            value.isNaN() || value.isInfinite()
                ? JsonNull.INSTANCE
                : new JsonPrimitive(rounded(value));
    return new GsonBuilder()
            .setPrettyPrinting()
            .disableHtmlEscaping()
            .registerTypeAdapter(double.class, numbers)
            .registerTypeAdapter(Double.class, numbers)
            .create()
            .toJson(reports)
        + "\n";
  }

  private static double rounded(double value) {
    return Math.abs(value) < PRECISION ? Math.rint(value * PRECISION) / PRECISION : value;
  }
}
