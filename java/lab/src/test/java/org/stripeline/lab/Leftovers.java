// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What benches and the demo may leave behind. */
public final class Leftovers {
  private Leftovers() {}

  /** Asserts that a work directory is empty and that no process runs with it. */
  public static void assertNone(Path directory) throws IOException {
    assertThat(directory).isEmptyDirectory();
    assertThat(processes(directory)).isEmpty();
  }

  /** Returns the environments and command lines of the processes that run with a directory. */
  public static List<String> processes(Path directory) throws IOException {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      return processes
          .filter(path -> path.getFileName().toString().matches("\\d+"))
          .map(Leftovers::text)
          .filter(text -> text.contains(directory.toString()))
          .collect(Collectors.toList());
    }
  }

  /**
   * Returns the environment and command line of a process: the work directory appears in the class
   * path of clients and in the command line of the cluster.
   */
  private static String text(Path process) {
    try {
      return Files.readString(process.resolve("cmdline"))
          + new String(Files.readAllBytes(process.resolve("environ")));
    } catch (IOException gone) {
      return "";
    }
  }
}
