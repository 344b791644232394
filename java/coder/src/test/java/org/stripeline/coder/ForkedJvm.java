// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a separate JVM with the class path of this one. */
final class ForkedJvm {
  private ForkedJvm() {}

  /** Returns the output and log of the JVM, which must exit with status 0. */
  static String run(Path folder, Class<?> main, String... jvmArguments) throws Exception {
    Path output = folder.resolve("output.txt");
    // Hadoop's tests jar contains a log4j.properties only in its sources, so logging is configured
    // here.
    Path logging = folder.resolve("log4j.properties");
    Files.write(
        logging,
        Arrays.asList(
            "log4j.rootLogger=INFO,console",
            "log4j.appender.console=org.apache.log4j.ConsoleAppender",
            "log4j.appender.console.layout=org.apache.log4j.PatternLayout",
            "log4j.appender.console.layout.ConversionPattern=%p %c - %m%n"));
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("-Xmx256m");
    command.add("-Dlog4j.configuration=" + logging.toUri());
    command.addAll(Arrays.asList(jvmArguments));
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    String text = new String(Files.readAllBytes(output));
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
