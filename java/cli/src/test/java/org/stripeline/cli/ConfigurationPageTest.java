// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that docs/user/configure.md is complete: it lists every key that the sources declare,
 * exactly once.
 */
class ConfigurationPageTest {
  private static final Path ROOT = Paths.get(System.getProperty("stripeline.root"));

  private static final String[] MODULES = {
    "native", "coder", "client", "agent-api", "server", "terminal", "convert", "plan", "lab", "cli"
  };

  /** Keys for communication between our own processes; users do not set them. */
  private static final Pattern INTERNAL =
      Pattern.compile("stripeline\\.(?:(?:bench|cluster)\\..*|home|hadoop|log)");

  @Test
  void everyPropertyIsListedOnce() throws IOException {
    Set<String> declared = new TreeSet<>();
    for (String module : MODULES) {
      collect(
          ROOT.resolve("java").resolve(module).resolve("src/main/java"),
          ".java",
          "\"(stripeline(?:\\.[a-z0-9-]+)+)\"",
          declared);
    }
    declared.removeIf(key -> INTERNAL.matcher(key).matches());

    assertThat(listed("stripeline\\.[a-z0-9.-]+")).containsExactlyInAnyOrderElementsOf(declared);
  }

  @Test
  void everyVariableIsListedOnce() throws IOException {
    Set<String> declared = new TreeSet<>();
    // The kernels, JNI and the crates between them read environment variables; bench and tests have
    // their own.
    for (String crate : new String[] {"gf", "codec", "jni", "capi"}) {
      collect(
          ROOT.resolve("crates").resolve(crate).resolve("src"),
          ".rs",
          "const [A-Z_]*VARIABLE: &str = \"(STRIPELINE_[A-Z_]+)\"",
          declared);
    }
    for (String module : MODULES) {
      collect(
          ROOT.resolve("java").resolve(module).resolve("src/main/java"),
          ".java",
          "(?:getenv\\(|VARIABLE = )\"(STRIPELINE_[A-Z_]+)\"",
          declared);
    }
    Matcher launcher =
        Pattern.compile("\\$\\{(STRIPELINE_[A-Z_]+)").matcher(text(ROOT.resolve("stripeline")));
    while (launcher.find()) {
      declared.add(launcher.group(1));
    }

    assertThat(listed("STRIPELINE_[A-Z_]+")).containsExactlyInAnyOrderElementsOf(declared);
  }

  @Test
  void defaultsOfHadoopMatchThePage() throws IOException {
    Configuration conf = new Configuration();
    conf.addResource("hdfs-default.xml");
    Matcher rows =
        Pattern.compile("(?m)^\\| `((?:io|dfs)\\.[^`]+)` \\| `?([^`|]+?)`? \\|")
            .matcher(text(page()));
    List<String> keys = new ArrayList<>();
    while (rows.find()) {
      keys.add(rows.group(1));
      assertThat(conf.get(rows.group(1))).as(rows.group(1)).isEqualTo(rows.group(2));
    }
    assertThat(keys).hasSize(6).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(strings = {"core-site", "hdfs-site"})
  void everyKeyOfTheSamplesIsOnThePage(String site) throws IOException {
    Path sample = ROOT.resolve("docs/user/" + site + ".sample.xml");
    Configuration conf = new Configuration(false);
    conf.addResource(sample.toUri().toURL());
    Set<String> keys = conf.getPropsWithPrefix("").keySet();

    assertThat(keys).hasSizeGreaterThan(2);
    assertThat(keys).allSatisfy(key -> assertThat(text(page())).contains(key));
  }

  /** Returns the keys in the first column of the page's tables, in order. */
  private static List<String> listed(String pattern) throws IOException {
    List<String> listed = new ArrayList<>();
    Matcher rows = Pattern.compile("(?m)^\\| `(" + pattern + ")` \\|").matcher(text(page()));
    while (rows.find()) {
      listed.add(rows.group(1));
    }
    return listed;
  }

  private static Path page() {
    return ROOT.resolve("docs/user/configure.md");
  }

  private static void collect(Path folder, String suffix, String pattern, Set<String> found)
      throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file :
          (Iterable<Path>) files.filter(f -> f.toString().endsWith(suffix))::iterator) {
        Matcher matcher = Pattern.compile(pattern).matcher(text(file));
        while (matcher.find()) {
          found.add(matcher.group(1));
        }
      }
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file));
  }
}
