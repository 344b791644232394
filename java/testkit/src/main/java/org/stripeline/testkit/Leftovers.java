// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What programs may leave behind: files in a directory, and processes. */
public final class Leftovers {
  private Leftovers() {}

  /**
   * Requires that a directory is empty and that no process runs with it.
   *
   * @throws AssertionError if not
   */
  public static void assertNone(Path directory) throws IOException {
    List<String> left = new ArrayList<>(Arrays.asList(directory.toFile().list()));
    left.addAll(processes(directory));
    if (!left.isEmpty()) {
      throw new AssertionError("left of " + directory + ": " + left);
    }
  }

  /** Waits until no process runs with a directory. */
  public static void await(Path directory) {
    Conditions.await(
        "the processes of " + directory + " to end", () -> processes(directory).isEmpty());
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
   * Returns the environment and command line of a process: the work directory of a bench appears in
   * the class path of clients and in the command line of the cluster.
   */
  private static String text(Path process) {
    try {
      return Files.readString(process.resolve("cmdline"))
          + new String(Files.readAllBytes(process.resolve("environ")), StandardCharsets.UTF_8);
    } catch (IOException gone) {
      return "";
    }
  }

  /**
   * Sends SIGKILL to those descendants of this process that run a main class.
   *
   * @return how many there are
   */
  public static long kill(Class<?> main) {
    List<ProcessHandle> found =
        ProcessHandle.current()
            .descendants()
            .filter(one -> one.info().commandLine().orElse("").contains(main.getName()))
            .collect(Collectors.toList());
    found.forEach(ProcessHandle::destroyForcibly);
    return found.size();
  }
}
