// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Named values of a scenario, each with the source of the value. Immutable. */
public final class Constants {
  private final Map<String, Constant> byName;

  private Constants(Map<String, Constant> byName) {
    this.byName = Collections.unmodifiableMap(byName);
  }

  /** Returns no constants. */
  static Constants none() {
    return new Constants(Collections.emptyMap());
  }

  /**
   * Returns these constants and those of an object {@code {name: {"value": ..., "source": ...}}}.
   */
  Constants with(JsonObject object) throws ScenarioException {
    Map<String, Constant> merged = new LinkedHashMap<>(byName);
    for (Map.Entry<String, JsonElement> entry : object.entrySet()) {
      String name = entry.getKey();
      JsonObject constant =
          entry.getValue().isJsonObject() ? entry.getValue().getAsJsonObject() : new JsonObject();
      if (constant.size() != 2 || !constant.has("value") || !constant.has("source")) {
        throw new ScenarioException(
            "Cannot use constant " + name + ": it must be {\"value\": ..., \"source\": ...}");
      }
      String source = primitive(name, constant.get("source")).getAsString();
      merged.put(name, new Constant(primitive(name, constant.get("value")), source));
    }
    return new Constants(merged);
  }

  /** Returns these constants with changed values, given as {@code {name: value}}. */
  Constants changed(JsonObject values, String source) throws ScenarioException {
    Map<String, Constant> merged = new LinkedHashMap<>(byName);
    for (Map.Entry<String, JsonElement> entry : values.entrySet()) {
      if (!byName.containsKey(entry.getKey())) {
        throw new ScenarioException(
            "Cannot change constant "
                + entry.getKey()
                + ": the scenario has no constant with that name");
      }
      merged.put(entry.getKey(), new Constant(primitive(entry.getKey(), entry.getValue()), source));
    }
    return new Constants(merged);
  }

  private static JsonPrimitive primitive(String name, JsonElement element)
      throws ScenarioException {
    if (!element.isJsonPrimitive()) {
      throw new ScenarioException(
          "Cannot use constant " + name + ": " + element + " is neither a number nor a text");
    }
    return element.getAsJsonPrimitive();
  }

  /** Returns the names, in the order of the file. */
  public Set<String> names() {
    return byName.keySet();
  }

  /** Returns the source of the value of a constant. */
  public String source(String name) {
    return byName.get(name).source;
  }

  /** Returns the value of a constant as text. */
  public String text(String name) {
    return byName.get(name).value.getAsString();
  }

  /**
   * Returns a reader of these constants; {@link Reader#end} reports constants that were not read.
   */
  Reader reader() {
    return new Reader();
  }

  private static final class Constant {
    private final JsonPrimitive value;
    private final String source;

    Constant(JsonPrimitive value, String source) {
      this.value = value;
      this.source = source;
    }
  }

  /** Looks up constants by name and checks them. */
  final class Reader {
    private final Set<String> unread = new TreeSet<>(byName.keySet());

    private JsonPrimitive read(String name) throws ScenarioException {
      unread.remove(name);
      Constant constant = byName.get(name);
      if (constant == null) {
        throw new ScenarioException(
            "Cannot simulate: constant "
                + name
                + " is missing; set it with its source, or name a base scenario that has it");
      }
      return constant.value;
    }

    double number(String name, double least, double most) throws ScenarioException {
      JsonPrimitive value = read(name);
      double number = value.isNumber() ? value.getAsDouble() : Double.NaN;
      if (!(number >= least && number <= most)) {
        throw new ScenarioException(
            "Cannot use constant "
                + name
                + ": it is "
                + value
                + ", must be a number from "
                + least
                + " to "
                + most);
      }
      return number;
    }

    int whole(String name, int least, int most) throws ScenarioException {
      double number = number(name, least, most);
      if (number != Math.rint(number)) {
        throw new ScenarioException(
            "Cannot use constant " + name + ": it is " + number + ", must be a whole number");
      }
      return (int) number;
    }

    <E extends Enum<E>> E choice(String name, Class<E> kind) throws ScenarioException {
      String value = read(name).getAsString();
      try {
        return Labels.parse(kind, value);
      } catch (ScenarioException e) {
        throw new ScenarioException("Cannot use constant " + name + ": " + e.getMessage(), e);
      }
    }

    void end() throws ScenarioException {
      if (!unread.isEmpty()) {
        throw new ScenarioException(
            "Cannot simulate: there are no constants named " + String.join(", ", unread));
      }
    }
  }
}
