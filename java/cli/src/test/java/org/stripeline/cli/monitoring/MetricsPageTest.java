// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.service.ConversionServiceMXBean;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.testkit.ForkedJvm;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Compares docs/user/metrics.md, the dashboard and the alert rules with what a cluster publishes,
 * and checks that the metrics of failures are 0 without failures and rise with injected ones.
 */
class MetricsPageTest {
  private static final Path DOCS = Paths.get(System.getProperty("stripeline.root"), "docs");

  /** The metrics of failures that {@link MonitoredCluster} makes rise. */
  private static final String[] INJECTED = {
    "Read.Corruptions",
    "Read.Failures",
    "Write.StreamsFailed",
    "Coder.Failures",
    "Agent.CallsFailed"
  };

  @TempDir static Path folder;

  @BeforeAll
  static void runCluster() throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    ForkedJvm.of(MonitoredCluster.class, folder.toString())
        .with("-Xmx512m", "-Dstripeline.engine.enabled=true", "-Dstripeline.engine.rails=cpu")
        .logging(folder, "FATAL")
        .output();
  }

  @Test
  void pageListsTheAttributesOfAService() throws IOException {
    Matcher rows = Pattern.compile("(?m)^- `([A-Z]\\w+)`: ").matcher(text("user/metrics.md"));
    assertThat(rows.results().map(row -> row.group(1)))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(ConversionServiceMXBean.class.getMethods())
                .map(method -> method.getName().substring("get".length()))
                .collect(Collectors.toList()));
  }

  @Test
  void pageListsEveryAttributeOnce() throws IOException {
    assertThat(page().keySet()).containsExactlyElementsOf(new TreeSet<>(beans("healthy").keySet()));
    Matcher rows = Pattern.compile("(?m)^\\| `[A-Z]\\w+` \\|").matcher(text("user/metrics.md"));
    assertThat(rows.results().count()).isEqualTo(page().size());
  }

  @Test
  void pageTellsWhichMetricsCountFailures() throws IOException {
    Set<String> documented =
        page().entrySet().stream()
            .filter(row -> row.getValue().equals("0"))
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    assertThat(failures("healthy").keySet()).containsExactlyInAnyOrderElementsOf(documented);
  }

  @Test
  void metricsOfFailuresAreZeroWithoutFailures() throws IOException {
    assertThat(failures("healthy").values()).allMatch(sum -> sum == 0, "0");
    for (String work :
        new String[] {
          "Read.Segments", "Write.Stripes", "Agent.TasksDone", "Placement.StripesSealed"
        }) {
      assertThat(sum(beans("healthy").get(work))).as(work).isPositive();
    }
  }

  @Test
  void metricsOfFailuresRiseWithInjectedFailures() throws IOException {
    Map<String, Double> failures = failures("faulty");
    for (String metric : INJECTED) {
      assertThat(failures.get(metric)).as(metric).isPositive();
    }
  }

  @Test
  void prometheusShowsEveryNumber() throws IOException {
    Set<String> expected = new TreeSet<>();
    beans("healthy")
        .forEach(
            (name, entry) -> {
              if (entry.getAsJsonObject().has("sum")) {
                expected.add(prometheus(name));
              }
            });
    assertThat(series()).containsExactlyElementsOf(expected);
  }

  @Test
  void rulesAlertOnEveryMetricOfFailures() throws IOException {
    Object loaded =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(text("monitoring/stripeline-rules.yml"));
    List<String> expressions = new ArrayList<>();
    for (Object group : (List<?>) ((Map<?, ?>) loaded).get("groups")) {
      for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
        assertThat(((Map<?, ?>) rule).keySet().toString())
            .contains("alert", "labels", "annotations");
        expressions.add((String) ((Map<?, ?>) rule).get("expr"));
      }
    }
    Set<String> failures =
        failures("healthy").keySet().stream()
            .map(MetricsPageTest::prometheus)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(series()).containsAll(failures);
    // Servers do not publish these.
    List<String> ofScrubs =
        List.of(
            "stripeline_scrub_groups_damaged",
            "stripeline_scrub_oldest_check_time_seconds",
            "stripeline_scrub_status_time_seconds");
    assertThat(metricsOfScrubs()).containsAll(ofScrubs);
    failures.addAll(ofScrubs);
    assertThat(metricsIn(String.join("\n", expressions))).containsExactlyElementsOf(failures);
    assertThat(expressions).hasSize(failures.size());
  }

  @Test
  void dashboardHasOnlySeriesThatExist() throws IOException {
    JsonObject dashboard =
        JsonParser.parseString(text("monitoring/stripeline-dashboard.json")).getAsJsonObject();
    Set<String> used = new TreeSet<>();
    for (JsonElement panel : dashboard.getAsJsonArray("panels")) {
      JsonArray targets = panel.getAsJsonObject().getAsJsonArray("targets");
      assertThat(targets).isNotEmpty();
      for (JsonElement target : targets) {
        Set<String> metrics = metricsIn(target.getAsJsonObject().get("expr").getAsString());
        assertThat(metrics).isNotEmpty();
        used.addAll(metrics);
      }
    }
    used.removeAll(metricsOfScrubs());
    assertThat(series()).containsAll(used);
  }

  /** Returns the metrics of {@code scrub --status}, as the page lists them. */
  private static Set<String> metricsOfScrubs() throws IOException {
    return Pattern.compile("(?m)^\\| `(stripeline_scrub_\\w+)`")
        .matcher(text("user/metrics.md"))
        .results()
        .map(row -> row.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> metricsIn(String expressions) {
    return Pattern.compile("\\bstripeline_\\w+")
        .matcher(expressions)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the names of our series in the scrape; throws if a line of it is malformed. */
  private static Set<String> series() throws IOException {
    Set<String> names = new TreeSet<>();
    for (String line : Files.readAllLines(folder.resolve("healthy.prom"))) {
      if (line.startsWith("stripeline_")) {
        assertThat(line).matches("\\w+\\{(\\w+=\"[^\"\\\\\\n]*\",?)*\\} [-+.\\dE]+");
        names.add(line.substring(0, line.indexOf('{')));
      }
    }
    return names;
  }

  /** Returns the name that Hadoop's sink gives to a metric, here {@code Bean.Attribute}. */
  private static String prometheus(String name) {
    return ("stripeline" + name.replace(".", ""))
        .replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_")
        .toLowerCase(Locale.ROOT);
  }

  private static Map<String, Double> failures(String name) throws IOException {
    Map<String, Double> failures = new TreeMap<>();
    beans(name)
        .forEach(
            (key, entry) -> {
              if (entry.getAsJsonObject().get("isFailure").getAsBoolean()) {
                failures.put(key, sum(entry));
              }
            });
    return failures;
  }

  private static double sum(JsonElement entry) {
    return entry.getAsJsonObject().get("sum").getAsDouble();
  }

  /** Returns all attributes of our beans by {@code Bean.Attribute}. */
  private static Map<String, JsonElement> beans(String name) throws IOException {
    Map<String, JsonElement> beans = new TreeMap<>();
    String text = Files.readString(folder.resolve(name + ".json"));
    JsonParser.parseString(text)
        .getAsJsonObject()
        .entrySet()
        .forEach(entry -> beans.put(entry.getKey(), entry.getValue()));
    return beans;
  }

  /** Returns the normal values of the page's metrics by {@code Bean.Attribute}. */
  private static Map<String, String> page() throws IOException {
    Map<String, String> normal = new TreeMap<>();
    String bean = "";
    for (String line : text("user/metrics.md").split("\n")) {
      if (line.startsWith("## ")) {
        bean = line.substring(3);
      }
      Matcher row =
          Pattern.compile("\\| `([A-Z]\\w+)` \\| [^|]+ \\| [^|]+ \\| ([^|]+) \\|").matcher(line);
      if (row.matches()) {
        normal.put(bean + '.' + row.group(1), row.group(2));
      }
    }
    return normal;
  }

  private static String text(String file) throws IOException {
    return Files.readString(DOCS.resolve(file));
  }
}
