// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** A command or script of ours that measures something and prints it as JSON. */
final class Measurement {
  private static final String OPERATIONS = "--operations=";

  /** The name of its files. */
  final String name;

  /** The command line, without {@code --json} of a command. */
  final List<String> arguments;

  /** Estimated duration on two processors. */
  final int seconds;

  /** Whether exit status 1 only says that values differ from published ones. */
  final boolean mayDiffer;

  /** Whether it is a script of the checkout, not a command. */
  final boolean isScript;

  private final Needs needs;

  /** The HDFS that a measurement needs. */
  private enum Needs {
    NONE,
    /** One of its own, whose DataNodes it stops or whose links it limits. */
    OWN,
    /** One of its own, with files on a disk because it reads them from there. */
    OWN_ON_DISK,
    /** Any: its command has the options {@code --conf} and {@code --path}. */
    ANY
  }

  private Measurement(
      String name,
      int seconds,
      boolean mayDiffer,
      boolean isScript,
      Needs needs,
      List<String> arguments) {
    this.name = name;
    this.seconds = seconds;
    this.mayDiffer = mayDiffer;
    this.isScript = isScript;
    this.needs = needs;
    this.arguments = Collections.unmodifiableList(arguments);
  }

  private static List<String> split(String commandLine) {
    return Arrays.asList(commandLine.split(" +"));
  }

  static Measurement of(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, false, false, Needs.OWN, split(commandLine));
  }

  /** Creates a measurement by a script, whose path is relative to the checkout. */
  static Measurement script(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, false, true, Needs.OWN, split(commandLine));
  }

  /** Creates a measurement whose command compares its values itself. */
  static Measurement compared(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, true, false, Needs.NONE, split(commandLine));
  }

  /** Returns the same measurement, marked as one that needs no HDFS. */
  Measurement withoutHdfs() {
    return new Measurement(name, seconds, mayDiffer, isScript, Needs.NONE, arguments);
  }

  /** Returns the same measurement, marked as one whose command can use a running cluster. */
  Measurement onAnyHdfs() {
    return new Measurement(name, seconds, mayDiffer, isScript, Needs.ANY, arguments);
  }

  /** Returns the same measurement, marked as one whose files must be on a disk. */
  Measurement onDisk() {
    return new Measurement(name, seconds, mayDiffer, isScript, Needs.OWN_ON_DISK, arguments);
  }

  /** Returns whether it runs distcp, which is not among the jars of HDFS. */
  boolean needsDistcp() {
    return arguments.stream().anyMatch(argument -> argument.contains("distcp"));
  }

  boolean isOnDisk() {
    return needs == Needs.OWN_ON_DISK;
  }

  /**
   * Returns the measurement on a running cluster, without operations that stop DataNodes; null if
   * it needs a cluster of its own.
   *
   * @param configuration the configuration directory of the cluster
   * @param path the HDFS directory in which it creates a directory
   */
  Measurement on(Path configuration, String path) {
    if (needs != Needs.ANY) {
      return needs == Needs.NONE ? this : null;
    }
    List<String> changed = new ArrayList<>();
    for (String argument : arguments) {
      changed.add(
          argument.startsWith(OPERATIONS)
              ? OPERATIONS
                  + Arrays.stream(argument.substring(OPERATIONS.length()).split(","))
                      .filter(operation -> !operation.matches(".*-(dead|cold).*"))
                      .collect(Collectors.joining(","))
              : argument);
    }
    changed.add("--conf=" + configuration);
    changed.add("--path=" + path);
    return new Measurement(name, seconds, mayDiffer, isScript, needs, changed);
  }

  /** Returns what a user types to repeat it. */
  String command() {
    return (isScript ? "" : "stripeline ") + String.join(" ", arguments);
  }
}
