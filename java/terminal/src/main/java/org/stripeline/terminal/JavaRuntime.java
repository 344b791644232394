// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The requirements for running Hadoop on the current Java. */
public final class JavaRuntime {
  private JavaRuntime() {}

  /**
   * Returns the feature number of the running Java.
   *
   * @return 8, 11, 17 ...
   */
  public static int feature() {
    return feature(System.getProperty("java.specification.version"));
  }

  static int feature(String specificationVersion) {
    // Java 8 reports 1.8; later releases report their number alone.
    return Integer.parseInt(specificationVersion.replaceFirst("^1\\.", ""));
  }

  /**
   * Returns why a Hadoop release cannot run on the current Java.
   *
   * @param hadoopVersion release of Hadoop, such as 3.4.2
   * @return the reason and the remedy, empty if the release can run
   */
  public static Optional<String> hadoopObstacle(String hadoopVersion) {
    return hadoopObstacle(hadoopVersion, feature());
  }

  static Optional<String> hadoopObstacle(String hadoopVersion, int feature) {
    if (feature < 24 || !hadoopVersion.matches("3\\.[0-4]\\..*")) {
      return Optional.empty();
    }
    return Optional.of(
        "Hadoop "
            + hadoopVersion
            + " cannot run on Java "
            + feature
            + ", which lacks the interface through which it determines the user; set JAVA_HOME to"
            + " Java 8, 11, 17 or 21, or use Hadoop 3.5");
  }

  /**
   * Returns the arguments that the current Java needs to run Hadoop.
   *
   * @return possibly empty
   */
  public static List<String> hadoopArguments() {
    return hadoopArguments(feature());
  }

  static List<String> hadoopArguments(int feature) {
    if (feature < 9) {
      return Collections.emptyList();
    }
    List<String> arguments =
        new ArrayList<>(
            Arrays.asList(
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"));
    if (feature >= 18 && feature < 24) {
      // From Java 18 to 23, the interface with which Hadoop requests the current user needs this.
      arguments.add("-Djava.security.manager=allow");
    }
    if (feature >= 22) {
      // Later releases print a warning for every loaded library without it.
      arguments.add("--enable-native-access=ALL-UNNAMED");
    }
    return arguments;
  }

  /**
   * Returns the class path of this process without site files, for a process that must not use the
   * configuration of another cluster.
   *
   * @return entries with absolute paths, joined with the path separator
   */
  public static String classPathWithoutSites() {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Paths.get(entry);
      if (!Files.exists(path.resolve("core-site.xml"))
          && !Files.exists(path.resolve("hdfs-site.xml"))) {
        entries.add(path.toAbsolutePath().toString());
      }
    }
    return String.join(File.pathSeparator, entries);
  }

  /**
   * Returns the compilers to which this process is limited, for child processes.
   *
   * @return arguments for Java, possibly none
   */
  public static List<String> compilerArguments() {
    return compilerArguments(ManagementFactory.getRuntimeMXBean().getInputArguments());
  }

  static List<String> compilerArguments(List<String> ownArguments) {
    List<String> arguments = new ArrayList<>(ownArguments);
    arguments.removeIf(argument -> !argument.startsWith("-XX:TieredStopAtLevel="));
    return arguments;
  }

  /**
   * Returns the settings of this process that locate the native library, for child processes.
   *
   * @return arguments for Java, possibly none
   */
  public static List<String> nativeArguments() {
    List<String> arguments = new ArrayList<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("stripeline.native.")) {
        arguments.add("-D" + name + "=" + System.getProperty(name));
      }
    }
    return arguments;
  }
}
