// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.cluster;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;

/** Starts the process of a cluster, detached from the terminal of the command. */
final class ServerLauncher {
  private ServerLauncher() {}

  static Process launch(ClusterDirectory directory, Path planFile, ClusterOptions options)
      throws IOException {
    Path logging = directory.lock().resolveSibling("log4j.properties");
    Files.write(logging, LOGGING.getBytes(StandardCharsets.UTF_8));
    Files.write(directory.hosts(), hosts().getBytes(StandardCharsets.UTF_8));
    Path metrics = directory.lock().resolveSibling("hadoop-metrics2.properties");
    Files.write(metrics, METRICS.getBytes(StandardCharsets.UTF_8));

    ProcessBuilder builder = builder(directory, planFile, options, logging);
    builder
        .environment()
        .compute("CLASSPATH", (name, path) -> metrics.getParent() + File.pathSeparator + path);
    // By default glibc creates many memory arenas; with many threads this would use hundreds of
    // MiB.
    builder.environment().put("MALLOC_ARENA_MAX", "2");
    builder.redirectInput(new File("/dev/null"));
    builder.redirectErrorStream(true);
    builder.redirectOutput(directory.log().toFile());
    builder.directory(directory.root().toFile());
    return builder.start();
  }

  private static ProcessBuilder builder(
      ClusterDirectory directory, Path planFile, ClusterOptions options, Path logging) {
    // A separate session: closing the terminal or Ctrl-C does not reach the cluster.
    String setsid = "/usr/bin/setsid";
    return ChildJvm.of(
        Files.isExecutable(Paths.get(setsid))
            ? Collections.singletonList(setsid)
            : Collections.emptyList(),
        Arrays.asList(
            "-Xms64m",
            "-Xmx" + options.heapMib() + "m",
            "-XX:+UseSerialGC",
            "-Xss512k",
            "-XX:ReservedCodeCacheSize=96m",
            "-Dlog4j.configuration=" + logging.toUri(),
            // Java 9 and later resolve names with this file alone, so that a slow or missing name
            // server cannot delay the registration of a DataNode.
            "-Djdk.net.hosts.file=" + directory.hosts()),
        ClusterServer.class,
        Arrays.asList(directory.root().toString(), planFile.toString()));
  }

  private static String hosts() {
    StringBuilder hosts = new StringBuilder("127.0.0.1 localhost " + hostName() + "\n");
    for (int number = 1; number <= ClusterOptions.DATANODES_MAX; number++) {
      hosts.append(RackTable.address(number)).append(" dn").append(number).append('\n');
    }
    return hosts.toString();
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      // The message is "name: reason"; the cluster's process must still resolve its own name.
      return e.getMessage().split(":", 2)[0];
    }
  }

  /** Period in seconds after which Hadoop updates the metrics in JMX; the default is 10 s. */
  private static final String METRICS = "*.period=1\n";

  /** Hadoop's INFO messages use more processor time than some of its work. */
  private static final String LOGGING =
      "log4j.rootLogger=WARN, out\n"
          + "log4j.logger.org.stripeline=INFO\n"
          // Each DataNode would warn twice that its web pages are open to all users of this
          // machine.
          + "log4j.logger.org.apache.hadoop.security.authentication=ERROR\n"
          + "log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR\n"
          + "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
          + "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
          + "log4j.appender.out.layout.ConversionPattern=%d{ISO8601} %-5p %c{1}: %m%n\n";
}
