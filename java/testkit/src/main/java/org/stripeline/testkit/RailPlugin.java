// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The plug-in that the rail crate's own tests use, as a rail {@code plugin:test} for other tests.
 */
public final class RailPlugin {
  private RailPlugin() {}

  /**
   * Compiles it.
   *
   * @param directory a directory for the library
   * @param macros arguments of the compiler that select its faults, such as {@code -DWRONG_BYTES}
   * @return the library; null if this machine has no C compiler
   */
  public static Path compile(Path directory, String... macros)
      throws IOException, InterruptedException {
    Path rail = Paths.get(System.getProperty("stripeline.root"), "crates", "rail");
    Path library = directory.resolve("libcoder.so");
    List<String> command = new ArrayList<>();
    command.addAll(Arrays.asList("cc", "-std=c11", "-O2", "-shared", "-fPIC", "-pthread"));
    command.addAll(Arrays.asList(macros));
    command.addAll(Arrays.asList("-I", rail.resolve("include").toString()));
    command.add(rail.resolve("tests").resolve("libraries").resolve("coder.c").toString());
    command.addAll(Arrays.asList("-o", library.toString()));
    Process process;
    try {
      process = new ProcessBuilder(command).inheritIO().start();
    } catch (IOException e) {
      return null;
    }
    if (process.waitFor() != 0) {
      throw new IOException("Cannot compile the plug-in: see the output of " + command);
    }
    return library;
  }
}
