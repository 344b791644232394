// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.AgentSwitch;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.report.JobReport;

/** A job can be cancelled while it waits for agents that are busy, which may take an hour. */
class BusyAgentTest {
  @TempDir Path directory;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  @Test
  void aJobIsCancelledWhileAllAgentsAreBusy() throws Exception {
    try (ConvertCluster cluster = ConvertCluster.withoutScanners(directory)) {
      byte[] written = cluster.write("/busy/a", 4 * ConvertCluster.BLOCK);
      Semaphore refused = new Semaphore(0);
      for (DataNode node : cluster.mini.getDataNodes()) {
        AgentSwitch.refuseToEncode(node, refused);
      }
      Future<JobReport> job =
          threads.submit(
              () -> {
                try (Driver driver = cluster.driver()) {
                  return driver.execute(ConvertCluster.contiguous("/busy", "RS-3-2"), "busy");
                }
              });
      assertThat(refused.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
      JobDirectory.unfinished(cluster.fs(), JobDirectory.ROOT_DEFAULT).get(0).cancel();

      JobReport report = job.get(60, TimeUnit.SECONDS);
      assertThat(report.isCancelled()).isTrue();
      assertThat(report.failures()).hasSize(1);
      assertThat(report.failures().get(0).toString()).isEqualTo("/busy/a: the job was cancelled");
      assertThat(cluster.read("/busy/a")).isEqualTo(written);
      assertThat(cluster.temporaries()).isEmpty();
    }
  }
}
