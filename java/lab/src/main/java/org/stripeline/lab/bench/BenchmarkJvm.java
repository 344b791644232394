// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.stripeline.lab.cluster.ChildJvm;
import org.stripeline.terminal.CommandException;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.JavaRuntime;

/** Runs a class of this package in a new JVM and returns its output lines. */
final class BenchmarkJvm {
  private BenchmarkJvm() {}

  static List<String> run(Class<?> main, List<String> jvmArguments, String... arguments)
      throws IOException, InterruptedException {
    List<String> jvm = new ArrayList<>();
    // A heap of fixed size, so that heap growth affects no contestant.
    jvm.addAll(Arrays.asList("-Xms1g", "-Xmx1g"));
    if (JavaRuntime.feature() >= 9) {
      jvm.add("--add-opens=java.base/java.util=ALL-UNNAMED");
    }
    jvm.addAll(jvmArguments);
    ProcessBuilder builder =
        ChildJvm.of(Collections.emptyList(), jvm, main, Arrays.asList(arguments));
    builder
        .environment()
        .put(
            "CLASSPATH",
            benchmarkJar() + File.pathSeparator + System.getProperty("java.class.path"));
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    List<String> lines = new ArrayList<>();
    int status = ChildJvm.run(builder, lines);
    if (status != 0) {
      throw new CommandException(
          ExitStatus.FAILED,
          "Cannot measure "
              + main.getSimpleName()
              + " "
              + String.join(" ", arguments)
              + ": its JVM ended with status "
              + status);
    }
    return lines;
  }

  /**
   * Returns the jar of Hadoop's tests; releases of Hadoop and Maven repositories have it next to
   * the jar of its classes.
   */
  private static Path benchmarkJar() {
    Path common;
    try {
      common =
          Paths.get(
              RawErasureEncoder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("Cannot find the file of a class", e);
    }
    String name = common.getFileName().toString().replaceFirst("\\.jar$", "-tests.jar");
    Path tests = common.resolveSibling(name);
    if (!Files.isReadable(tests)) {
      throw new CommandException(
          ExitStatus.UNCHECKED,
          "Cannot run Hadoop's benchmark: "
              + tests
              + " is missing; a Hadoop release has it in"
              + " share/hadoop/common");
    }
    return tests;
  }
}
