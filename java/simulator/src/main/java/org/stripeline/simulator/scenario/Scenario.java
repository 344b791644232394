// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.scenario;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonIOException;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The input of a simulation: variants of constants, the policies to compare, the seeds. Read from
 * JSON; {@code docs/user/simulate.md} describes the format. Immutable.
 */
public final class Scenario {
  /** The scenario that takes minutes. */
  public static final String SCALE = "scale";

  private static final List<String> CARRIED =
      Collections.unmodifiableList(
          Arrays.asList(
              "a1-code",
              "a1-traffic",
              "a2-writes",
              "simulation",
              "models",
              "balance",
              "read-balance",
              "vary-k",
              "vary-m",
              "vary-links",
              "vary-writes",
              "vary-background",
              "vary-racks-lost",
              "measured",
              "policies",
              "failures",
              SCALE));

  private static final Set<String> KEYS =
      new LinkedHashSet<>(
          Arrays.asList(
              "title",
              "about",
              "base",
              "constants",
              "policies",
              "seeds",
              "tolerance_points",
              "quick",
              "plot",
              "variants"));

  private final String name;
  private final String title;
  private final String about;
  private final List<Policy> policies;
  private final int seeds;
  private final double tolerancePoints;
  private final List<Figure> plotted;
  private final List<Variant> variants;

  private Scenario(String name, JsonObject json, boolean isQuick) throws ScenarioException {
    for (String key : json.keySet()) {
      if (!KEYS.contains(key)) {
        throw new ScenarioException(
            "Cannot use scenario " + name + ": key " + key + " is not one of " + KEYS);
      }
    }
    this.name = name;
    title = text(json, "title");
    about = text(json, "about");
    seeds = isQuick ? 1 : (int) number(json, "seeds", 1, 1000);
    tolerancePoints =
        json.has("tolerance_points") ? number(json, "tolerance_points", 0, 1000) : Double.NaN;
    policies = policies(array(json, "policies"));
    plotted = plotted(json.has("plot") ? array(json, "plot") : new JsonArray());
    Constants constants = Constants.none();
    if (json.has("base")) {
      constants = constants.with(resource("base-" + text(json, "base")));
    }
    if (json.has("constants")) {
      constants = constants.with(object(json, "constants"));
    }
    if (isQuick && json.has("quick")) {
      constants = constants.changed(object(json, "quick"), "the scenario's quick form");
    }
    variants = variants(array(json, "variants"), constants, isQuick);
  }

  /** Returns the names of the scenarios in the jar. */
  public static List<String> carried() {
    return CARRIED;
  }

  /**
   * Reads a scenario from the jar.
   *
   * @throws ScenarioException if there is none of that name
   */
  public static Scenario carried(String name) throws ScenarioException {
    return carried(name, false);
  }

  /**
   * Reads the quick form of a scenario from the jar: fewer stripes and one seed, for tests.
   *
   * @throws ScenarioException if there is none of that name
   */
  public static Scenario quick(String name) throws ScenarioException {
    return carried(name, true);
  }

  private static Scenario carried(String name, boolean isQuick) throws ScenarioException {
    if (!CARRIED.contains(name)) {
      throw new ScenarioException(
          "Cannot find scenario "
              + name
              + ": it is neither a file nor one of "
              + String.join(", ", CARRIED));
    }
    return new Scenario(name, resource(name), isQuick);
  }

  /**
   * Reads a scenario from a file.
   *
   * @throws ScenarioException if it cannot be read or is not valid
   */
  public static Scenario read(Path file) throws ScenarioException {
    String name = file.getFileName().toString().replaceFirst("\\.json$", "");
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      return new Scenario(name, parse(reader), false);
    } catch (JsonIOException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ScenarioException("Cannot read scenario " + file + ": " + cause, cause);
    } catch (IOException | JsonParseException | IllegalStateException e) {
      throw new ScenarioException("Cannot read scenario " + file + ": " + e.getMessage(), e);
    }
  }

  private static JsonObject resource(String name) throws ScenarioException {
    String path = "/org/stripeline/simulator/" + name + ".json";
    try (InputStream stream = Scenario.class.getResourceAsStream(path)) {
      if (stream == null) {
        throw new ScenarioException(
            "Cannot find constants " + name + ": the jar has none with that name");
      }
      return parse(new InputStreamReader(stream, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new ScenarioException("Cannot read scenario " + name + ": " + e.getMessage(), e);
    }
  }

  private static JsonObject parse(Reader reader) {
    return JsonParser.parseReader(reader).getAsJsonObject();
  }

  private static List<Policy> policies(JsonArray names) throws ScenarioException {
    List<Policy> found = new ArrayList<>();
    for (JsonElement element : names) {
      Policy policy = Labels.parse(Policy.class, element.getAsString());
      found.add(policy);
    }
    if (found.isEmpty()) {
      throw new ScenarioException("Cannot simulate: no policy is named");
    }
    return Collections.unmodifiableList(found);
  }

  private static List<Figure> plotted(JsonArray names) throws ScenarioException {
    List<Figure> found = new ArrayList<>();
    for (JsonElement element : names) {
      found.add(Labels.parse(Figure.class, element.getAsString().replace('_', '-')));
    }
    return found.isEmpty()
        ? Arrays.asList(Figure.ENCODE_GAIN_PERCENT, Figure.WRITE_GAIN_PERCENT)
        : Collections.unmodifiableList(found);
  }

  private static List<Variant> variants(JsonArray array, Constants constants, boolean isQuick)
      throws ScenarioException {
    List<Variant> found = new ArrayList<>();
    for (JsonElement element : array) {
      JsonObject json = element.getAsJsonObject();
      String label = text(json, "label");
      Constants changed = constants;
      if (json.has("set")) {
        changed = constants.changed(object(json, "set"), "variant " + label);
      }
      if (isQuick && json.has("quick")) {
        changed = changed.changed(object(json, "quick"), "the variant's quick form");
      }
      found.add(new Variant(label, changed, known(json, "paper"), known(json, "measured")));
    }
    if (found.isEmpty()) {
      throw new ScenarioException("Cannot simulate: there are no variants");
    }
    return Collections.unmodifiableList(found);
  }

  /** Reads {@code {policy: {figure: value}}}; returns no values if the key is absent. */
  private static Map<Policy, Map<Figure, Double>> known(JsonObject variant, String key)
      throws ScenarioException {
    Map<Policy, Map<Figure, Double>> known = new EnumMap<>(Policy.class);
    JsonObject json = variant.has(key) ? object(variant, key) : new JsonObject();
    for (String name : json.keySet()) {
      JsonObject given = object(json, name);
      Map<Figure, Double> figures = new EnumMap<>(Figure.class);
      for (Figure figure : Figure.values()) {
        if (given.has(figure.key())) {
          figures.put(figure, number(given, figure.key(), -1e9, 1e9));
        }
      }
      if (figures.size() != given.size()) {
        throw new ScenarioException(
            "Cannot use figures " + given.keySet() + " of key " + key + ": some are unknown");
      }
      known.put(Labels.parse(Policy.class, name), figures);
    }
    return known;
  }

  private static JsonElement element(JsonObject json, String key) throws ScenarioException {
    if (!json.has(key)) {
      throw new ScenarioException("Cannot use the scenario: key " + key + " is missing");
    }
    return json.get(key);
  }

  private static String text(JsonObject json, String key) throws ScenarioException {
    JsonElement element = element(json, key);
    if (!element.isJsonPrimitive()) {
      throw new ScenarioException("Cannot use the scenario: " + key + " must be a text");
    }
    return element.getAsString();
  }

  private static double number(JsonObject json, String key, double least, double most)
      throws ScenarioException {
    JsonElement element = element(json, key);
    boolean isNumber = element.isJsonPrimitive() && element.getAsJsonPrimitive().isNumber();
    double number = isNumber ? element.getAsDouble() : Double.NaN;
    if (!(number >= least && number <= most)) {
      throw new ScenarioException(
          "Cannot use the scenario: "
              + key
              + " is "
              + element
              + ", must be from "
              + least
              + " to "
              + most);
    }
    return number;
  }

  private static JsonArray array(JsonObject json, String key) throws ScenarioException {
    JsonElement element = element(json, key);
    if (!element.isJsonArray()) {
      throw new ScenarioException("Cannot use the scenario: " + key + " must be a list");
    }
    return element.getAsJsonArray();
  }

  private static JsonObject object(JsonObject json, String key) throws ScenarioException {
    JsonElement element = element(json, key);
    if (!element.isJsonObject()) {
      throw new ScenarioException("Cannot use the scenario: " + key + " must be an object");
    }
    return element.getAsJsonObject();
  }

  /** Returns the name of the scenario. */
  public String name() {
    return name;
  }

  /** Returns a title of one line. */
  public String title() {
    return title;
  }

  /** Returns a description of what it shows and how. */
  public String about() {
    return about;
  }

  /** Returns the policies to compare; gains are relative to the first one. */
  public List<Policy> policies() {
    return policies;
  }

  /** Returns how many seeds each policy is run with. */
  public int seeds() {
    return seeds;
  }

  /**
   * Returns the maximum difference of a value from the paper, in percentage points; NaN if there is
   * no limit.
   */
  public double tolerancePoints() {
    return tolerancePoints;
  }

  /** Returns the figures to draw as boxes; the gains of encoding and of writes by default. */
  public List<Figure> plotted() {
    return plotted;
  }

  /** Returns the variants. */
  public List<Variant> variants() {
    return variants;
  }
}
