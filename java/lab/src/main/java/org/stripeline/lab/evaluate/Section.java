// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.stripeline.terminal.Spread;

/** The experiments of one document. */
interface Section {
  /** Returns the name for {@code --only}. */
  String name();

  String title();

  /** Returns the document with the published values: authors, title, year. */
  String document();

  /** Returns the measurements, in the order in which they run. */
  List<Measurement> measurements(Size size);

  /**
   * Converts the result of one measurement into figures.
   *
   * @param result what the command printed
   */
  void conclude(Measurement measurement, JsonObject result, EvaluationReport.Section section);

  /** Reads the objects of an array in a result; fields that the type lacks are skipped. */
  static <T> List<T> rows(JsonObject result, String key, Class<T> type) {
    List<T> rows = new ArrayList<>();
    Gson gson = new Gson();
    result.getAsJsonArray(key).forEach(row -> rows.add(gson.fromJson(row, type)));
    return rows;
  }

  /** Returns the median of a value of some rows, null if there are none. */
  static <T> Double median(List<T> rows, Predicate<T> which, ToDoubleFunction<T> value) {
    List<T> found = rows.stream().filter(which).collect(Collectors.toList());
    return found.isEmpty() ? null : Spread.of(found, value).median;
  }
}
