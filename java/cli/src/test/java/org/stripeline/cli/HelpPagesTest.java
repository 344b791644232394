// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Checks that docs/user/cli equals the output of {@code --help}. With {@code
 * -Dstripeline.update-help=true} the test writes the pages instead.
 */
class HelpPagesTest {
  private static final Path PAGES =
      Paths.get(System.getProperty("stripeline.root"), "docs", "user", "cli");

  @Test
  void pagesMatchTheHelpOfTheCommand() throws IOException {
    Map<String, String> printed = new TreeMap<>();
    collect(Stripeline.commandLine(), printed);
    if (Boolean.getBoolean("stripeline.update-help")) {
      write(printed);
    }

    Map<String, String> kept = new TreeMap<>();
    try (Stream<Path> files = Files.list(PAGES)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        kept.put(file.getFileName().toString(), new String(Files.readAllBytes(file)));
      }
    }
    assertThat(kept)
        .as("docs/user/cli; rewrite it with -Dstripeline.update-help=true")
        .isEqualTo(printed);
  }

  private static void collect(CommandLine line, Map<String, String> pages) {
    pages.put(line.getCommandSpec().qualifiedName("-") + ".txt", line.getUsageMessage(Ansi.OFF));
    line.getSubcommands().values().forEach(below -> collect(below, pages));
  }

  private static void write(Map<String, String> pages) throws IOException {
    Files.createDirectories(PAGES);
    try (Stream<Path> files = Files.list(PAGES)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    for (Map.Entry<String, String> page : pages.entrySet()) {
      Files.write(PAGES.resolve(page.getKey()), page.getValue().getBytes());
    }
  }
}
