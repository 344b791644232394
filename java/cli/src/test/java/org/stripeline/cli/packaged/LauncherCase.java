// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.terminal.Release;

/** Runs the shell script with an environment of the test's own. */
abstract class LauncherCase {
  /** For tests of many commands, whose JVMs are too short-lived for the second compiler. */
  static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  static final Path ROOT = Paths.get(System.getProperty("stripeline.root")).normalize();
  static final Path SCRIPT = ROOT.resolve("stripeline");

  @TempDir Path temporary;

  final Map<String, String> environment = new TreeMap<>();
  int status;
  String out;
  String err;

  @BeforeEach
  final void startFromAPlainEnvironment() {
    environment.put("PATH", "/usr/bin:/bin");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("HOME", temporary.toString());
  }

  /** Makes the build's Hadoop that of HADOOP_HOME, and returns that directory. */
  final Path useHadoop() throws IOException {
    Path home = temporary.resolve("hadoop");
    Path classPath = ROOT.resolve("build/classpath/hadoop.txt");
    executable(home.resolve("bin/hadoop"), "[ \"$*\" = 'classpath --glob' ] && cat " + classPath);
    environment.put("HADOOP_HOME", home.toString());
    return home;
  }

  /** Returns the script in an installation. */
  final Path install() throws IOException {
    Path home = temporary.resolve("installation");
    if (!Files.exists(home)) {
      Files.createDirectories(home.resolve("bin"));
      Files.createDirectories(home.resolve("lib"));
      Files.copy(SCRIPT, home.resolve("bin/stripeline"));
      for (String name : new String[] {"stripeline-", "stripeline-cli-"}) {
        String jar = name + Release.version() + ".jar";
        Files.copy(ROOT.resolve("java/cli/target").resolve(jar), home.resolve("lib").resolve(jar));
      }
      Path standalone = Files.createDirectory(home.resolve("lib/standalone"));
      try (Stream<Path> jars = Files.list(ROOT.resolve("java/cli/target/standalone"))) {
        for (Path jar : (Iterable<Path>) jars::iterator) {
          Files.copy(jar, standalone.resolve(jar.getFileName()));
        }
      }
    }
    return home.resolve("bin/stripeline");
  }

  static Path executable(Path path, String body) throws IOException {
    Files.createDirectories(path.getParent());
    Files.write(path, ("#!/bin/sh\n" + body + "\n").getBytes());
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    return path;
  }

  final void run(Path script, String... arguments) throws Exception {
    Process process = start(script, arguments);
    boolean ended = process.waitFor(240, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).isTrue();
    status = process.exitValue();
    out = Files.readString(temporary.resolve("out"));
    err = Files.readString(temporary.resolve("err"));
  }

  final Process start(Path script, String... arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("/usr/bin/bash", script.toString());
    builder.command().addAll(Arrays.asList(arguments));
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.directory(Files.createDirectories(temporary.resolve("empty")).toFile());
    builder.redirectOutput(temporary.resolve("out").toFile());
    builder.redirectError(temporary.resolve("err").toFile());
    return builder.start();
  }
}
