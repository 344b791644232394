// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.KnownJobs;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;

/**
 * What tests of the swap of one file share: a cluster with keys, and users that act at its steps.
 */
abstract class SwapCase {
  static final String CODE = "RS-3-2";
  static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir java.nio.file.Path directory;
  ConvertCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster =
        new ConvertCluster(
            directory.resolve("hdfs"),
            7,
            4,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              LateCalls.install(conf);
              // A transfer between DataNodes may fail; by default, Hadoop waits five minutes before
              // it schedules another.
              conf.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 5);
              EncryptionZones.configure(conf, directory);
            });
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  JobReport convert(JobSettings settings, String job, StepListener listener) throws IOException {
    return convert(settings, job, listener, Ticker.SYSTEM);
  }

  JobReport convert(JobSettings settings, String job, StepListener listener, Ticker ticker)
      throws IOException {
    String root = JobDirectory.ROOT_DEFAULT;
    try (Driver driver =
        new Driver(cluster.client(), root, JobObserver.NONE, listener, new KnownJobs(), ticker)) {
      return driver.execute(settings, job);
    }
  }

  interface Doing {
    Object call() throws Exception;
  }

  static void doing(Doing what) {
    try {
      what.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
