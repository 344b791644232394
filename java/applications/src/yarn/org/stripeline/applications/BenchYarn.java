// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;

/** A YARN in this JVM for benches; its tasks are processes. */
final class BenchYarn {
  /** Application masters inject classes, which needs the access that Java 8 allowed. */
  private static final String TASK_OPTIONS =
      "-Xmx512m -XX:+UseSerialGC --add-opens=java.base/java.lang=ALL-UNNAMED";

  private BenchYarn() {}

  /** Starts a YARN with one NodeManager. The caller stops it. */
  static MiniMRYarnCluster start(MiniDFSCluster hdfs) {
    Configuration conf = new Configuration(hdfs.getConfiguration(0));
    conf.set("fs.defaultFS", hdfs.getURI().toString());
    conf.set("yarn.app.mapreduce.am.staging-dir", "/staging");
    conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
    conf.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
    conf.setBoolean("yarn.nodemanager.disk-health-checker.enable", false);
    conf.setInt("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 100);
    conf.setInt("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 100);
    conf.setInt("yarn.scheduler.minimum-allocation-mb", 256);
    conf.setInt("yarn.app.mapreduce.am.resource.mb", 512);
    // One that has ended stays for five seconds, and a second does not fit into the tenth of memory
    // that all may have by default.
    conf.setFloat("yarn.scheduler.capacity.maximum-am-resource-percent", 0.5f);
    // Starts in less time; tasks, which are measured, have both compilers.
    conf.set("yarn.app.mapreduce.am.command-opts", TASK_OPTIONS + " -XX:TieredStopAtLevel=1");
    for (String kind : new String[] {"map", "reduce"}) {
      conf.setInt("mapreduce." + kind + ".memory.mb", 768);
      conf.set("mapreduce." + kind + ".java.opts", TASK_OPTIONS);
      // A second attempt beside a slow one would count twice.
      conf.setBoolean("mapreduce." + kind + ".speculative", false);
    }
    conf.setInt("mapreduce.task.io.sort.mb", 64);
    MiniMRYarnCluster yarn = new MiniMRYarnCluster("stripeline-evaluate", 1);
    yarn.init(conf);
    yarn.start();
    return yarn;
  }
}
