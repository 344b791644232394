// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.deploy.history.EventLogFileReader;

/**
 * Kills Spark's driver: the events of all jobs that it reported must be in its event log, and a
 * streaming query that is started again must write every row once.
 */
public final class SparkTrial {
  private final Trial trial;

  private SparkTrial(Trial trial) {
    this.trial = trial;
  }

  /** Runs with the name of the client. */
  public static void main(String[] arguments) {
    Trial.run(
        arguments[0],
        trial -> {
          SparkTrial spark = new SparkTrial(trial);
          for (boolean rolling : new boolean[] {false, true}) {
            for (boolean coded : new boolean[] {false, true}) {
              spark.eventLog(rolling, coded, 3);
              spark.eventLog(rolling, coded, 200);
            }
          }
          spark.stream();
        });
  }

  private void eventLog(boolean rolling, boolean coded, long jobs) throws Exception {
    String name = "events-" + rolling + "-" + coded + "-" + jobs;
    FileSystem fs = FileSystem.get(new Configuration());
    Path folder = new Path(trial.address() + "/" + name);
    fs.mkdirs(folder);
    Jvm.Setting setting =
        trial.setting(
            "-Xmx640m",
            "-Dspark.ui.enabled=false",
            "-Dspark.eventLog.enabled=true",
            "-Dspark.eventLog.dir=" + folder,
            "-Dspark.eventLog.compress=false",
            "-Dspark.eventLog.rolling.enabled=" + rolling,
            "-Dspark.eventLog.rolling.maxFileSize=10m",
            "-Dspark.eventLog.erasureCoding.enabled=" + coded);
    long acknowledged = killAt(setting, jobs, "jobs");
    int files = 0;
    long found = 0;
    for (RemoteIterator<LocatedFileStatus> all = fs.listFiles(folder, true); all.hasNext(); ) {
      LocatedFileStatus file = all.next();
      files++;
      found += jobsIn(fs, file.getPath());
    }
    trial.report(
        "Spark event log: " + (rolling ? "rolling" : "plain") + (coded ? ", EC" : ", default"),
        acknowledged,
        Math.min(found, acknowledged),
        files + " files");
  }

  /** Counts the jobs whose end an event log has, up to its first unreadable line. */
  private static long jobsIn(FileSystem fs, Path log) throws IOException {
    long jobs = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                EventLogFileReader.openEventLog(log, fs), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.contains("\"SparkListenerJobEnd\"") && line.endsWith("}")) {
          jobs++;
        }
      }
    } catch (EOFException e) {
      // What is missing is not counted.
      return jobs;
    }
    return jobs;
  }

  private void stream() throws Exception {
    String folder = trial.address() + "/stream";
    Jvm.Setting setting =
        trial.setting("-Xmx640m", "-Dspark.ui.enabled=false", "-Dspark.sql.shuffle.partitions=2");
    long acknowledged = 0;
    for (int round = 1; round <= 3; round++) {
      acknowledged = killAt(setting, acknowledged + 5L * SparkDriver.ROWS, "stream", folder);
    }
    try (Jvm driver = setting.start(SparkDriver.class.getName(), "count", folder)) {
      String[] found = Trial.lineAfter(driver.output(), "rows ").split(" ");
      driver.waitForEnd();
      long inOrder = Long.parseLong(found[1]);
      trial.report(
          "Spark streaming: killed 3 times",
          acknowledged,
          Math.min(inOrder, acknowledged),
          found[0] + " rows, " + found[1] + " different");
      if (Long.parseLong(found[0]) != inOrder) {
        throw new AssertionError("Rows are there twice or out of order");
      }
    }
  }

  /** Kills a driver that has reported a number, and returns the last one that it reported. */
  private long killAt(Jvm.Setting setting, long enough, String... arguments) throws Exception {
    long acknowledged = 0;
    try (Jvm driver = setting.start(SparkDriver.class.getName(), arguments)) {
      while (acknowledged < enough) {
        acknowledged = Long.parseLong(Trial.lineAfter(driver.output(), "acknowledged "));
      }
      driver.kill();
      for (String line = driver.output().readLine(); line != null; ) {
        acknowledged = Long.parseLong(line.substring("acknowledged ".length()));
        line = driver.output().readLine();
      }
    }
    return acknowledged;
  }
}
