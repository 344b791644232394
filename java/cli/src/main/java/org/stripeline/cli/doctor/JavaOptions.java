// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds the options of Java that affect our code. The launcher passes the properties of HADOOP_OPTS
 * and hadoop-env.sh to this JVM; those of HDFS_DATANODE_OPTS apply to DataNodes only.
 */
final class JavaOptions {
  private static final List<String> PREFIXES =
      Arrays.asList("-Dstripeline.", "-Djava.library.path=", "-Djava.io.tmpdir=");

  /** Properties that the launcher sets for itself. */
  private static final List<String> OF_LAUNCHER =
      Arrays.asList("-Dstripeline.home=", "-Dstripeline.hadoop=");

  private final DoctorReport report;

  JavaOptions(DoctorReport report) {
    this.report = report;
  }

  void examine(Map<String, String> environment) {
    examine(ManagementFactory.getRuntimeMXBean().getInputArguments(), environment);
  }

  void examine(List<String> arguments, Map<String, String> environment) {
    String ofDataNodes = environment.getOrDefault("HDFS_DATANODE_OPTS", "");
    report.options.inUse.addAll(relevant(arguments));
    List<String> others = relevant(Arrays.asList(ofDataNodes.trim().split("\\s+")));
    others.removeAll(report.options.inUse);
    report.options.dataNodes.addAll(others);
    if (!others.isEmpty()) {
      report.addWarning(
          "HDFS_DATANODE_OPTS has options that DataNodes use and this examination did not: "
              + String.join(" ", others),
          "on a DataNode, examine with them, too: STRIPELINE_JAVA_OPTS=\""
              + String.join(" ", others)
              + "\" stripeline doctor");
    }
  }

  private static List<String> relevant(List<String> options) {
    return options.stream()
        .filter(option -> PREFIXES.stream().anyMatch(option::startsWith))
        .filter(option -> OF_LAUNCHER.stream().noneMatch(option::startsWith))
        .collect(Collectors.toList());
  }
}
