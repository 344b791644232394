// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/** A main class to run in a separate JVM, with the class path of this one and 256 MiB of heap. */
public final class ForkedJvm {
  private static final int LIMIT_MINUTES = 4;

  /** The property that names the native library, which the JVM inherits. */
  private static final String LIBRARY = "stripeline.native.path";

  private final List<String> prefix = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> jvmArguments = new ArrayList<>();
  private final String main;
  private final List<String> arguments;
  private String classPath = classPath();

  private ForkedJvm(String main, String... arguments) {
    this.main = main;
    this.arguments = Arrays.asList(arguments);
    String library = System.getProperty(LIBRARY);
    if (library != null) {
      jvmArguments.add("-D" + LIBRARY + "=" + library);
    }
  }

  /** The exit status and output of a JVM. */
  public record Result(int exitCode, String output) {}

  /** Creates a JVM for a main class. */
  public static ForkedJvm of(Class<?> main, String... arguments) {
    return new ForkedJvm(main.getName(), arguments);
  }

  /** Creates a JVM for a source file. */
  public static ForkedJvm of(Path source, String... arguments) {
    return new ForkedJvm(source.toString(), arguments);
  }

  /** Returns the class path of this JVM. */
  public static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /** Adds arguments of the JVM; a later one overrides an earlier one. */
  public ForkedJvm with(String... more) {
    return with(Arrays.asList(more));
  }

  /** Adds arguments of the JVM; a later one overrides an earlier one. */
  public ForkedJvm with(List<String> more) {
    jvmArguments.addAll(more);
    return this;
  }

  /**
   * Writes site files, which come first in the class path.
   *
   * @param directory receives the files, and is created if needed
   * @param names such as {@code hdfs} for hdfs-site.xml
   */
  public ForkedJvm site(Path directory, Configuration conf, String... names) throws IOException {
    Files.createDirectories(directory);
    for (String name : names) {
      try (OutputStream out = Files.newOutputStream(directory.resolve(name + "-site.xml"))) {
        conf.writeXml(out);
      }
    }
    classPath = directory + File.pathSeparator + classPath;
    return this;
  }

  /** Sets a variable of the environment. */
  public ForkedJvm environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /**
   * Hides the Kerberos tickets of the user that runs the test.
   *
   * @param settings the JVM's Kerberos configuration
   */
  public ForkedJvm withoutTickets(Path settings) {
    return with("-Djava.security.krb5.conf=" + settings)
        .environment("KRB5CCNAME", settings.resolveSibling("no-tickets").toString());
  }

  /** Runs the JVM as the argument of another command. */
  public ForkedJvm under(List<String> command) {
    prefix.addAll(command);
    return this;
  }

  /**
   * Prints log messages as {@code LEVEL class - message}. Hadoop's tests jar contains a
   * log4j.properties only in its sources.
   *
   * @param folder receives the configuration
   * @param level least level of messages
   * @param rules further lines of the configuration
   */
  public ForkedJvm logging(Path folder, String level, String... rules) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("log4j.rootLogger=" + level + ",console");
    lines.add("log4j.appender.console=org.apache.log4j.ConsoleAppender");
    lines.add("log4j.appender.console.layout=org.apache.log4j.PatternLayout");
    lines.add("log4j.appender.console.layout.ConversionPattern=%p %c - %m%n");
    lines.addAll(Arrays.asList(rules));
    Path file = Files.write(folder.resolve("log4j.properties"), lines);
    return with("-Dlog4j.configuration=" + file.toUri());
  }

  /** Returns the command and the environment, to start the JVM with other streams. */
  public ProcessBuilder builder() {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    // The same collector and compilers.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.matches("-XX:(\\+Use\\w+GC|TieredStopAtLevel=.*)"))
        .forEach(command::add);
    command.addAll(jvmArguments);
    command.add(main);
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CLASSPATH", classPath);
    builder.environment().putAll(environment);
    return builder;
  }

  /**
   * Starts the JVM, which the caller has to end.
   *
   * @param output receives what it prints
   */
  public Process start(Path output) throws IOException {
    return builder().redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  /**
   * Runs the JVM to its end.
   *
   * @throws AssertionError if it does not end within 4 minutes
   */
  public Result run() throws IOException, InterruptedException {
    // A file instead of a pipe, because no thread reads the output while the process runs.
    Path output = Files.createTempFile("stripeline-forked", ".txt");
    try {
      Process process = start(output);
      boolean ended;
      try {
        ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
      } finally {
        process.destroyForcibly().waitFor();
      }
      String text = Files.readString(output, StandardCharsets.UTF_8);
      if (!ended) {
        throw new AssertionError("The forked JVM of " + main + " does not end:\n" + text);
      }
      return new Result(process.exitValue(), text);
    } finally {
      Files.delete(output);
    }
  }

  /**
   * Runs the JVM to its end and returns its output.
   *
   * @throws AssertionError with the output if the exit status is not 0
   */
  public String output() throws IOException, InterruptedException {
    Result result = run();
    if (result.exitCode() != 0) {
      throw new AssertionError("Exit status " + result.exitCode() + ": " + result.output());
    }
    return result.output();
  }
}
