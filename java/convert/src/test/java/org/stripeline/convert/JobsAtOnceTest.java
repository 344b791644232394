// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.RefusedException;

/** Begins jobs on the same files at the same time. */
@Timeout(120)
class JobsAtOnceTest {
  @TempDir private java.nio.file.Path directory;
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  /** Both find no other job at first. The second check of one may come after the other ended. */
  @Test
  void twoJobsOnTheSameFilesDoNotRunAtTheSameTime() throws Exception {
    byte[] bytes = cluster.write("/tree/file", 4 * ConvertCluster.BLOCK);
    CyclicBarrier settingsWritten = new CyclicBarrier(2);
    List<Future<JobReport>> jobs = new ArrayList<>();
    for (String name : List.of("first", "second")) {
      jobs.add(threads.submit(() -> begin(name, settingsWritten)));
    }
    int begun = 0;
    for (Future<JobReport> job : jobs) {
      try {
        assertThat(job.get().converted()).isEqualTo(1);
        begun++;
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(RefusedException.class);
        assertThat(e).hasMessageMatching(".*job (first|second) on /tree is not finished.*");
      }
    }
    assertThat(begun).isLessThan(2);
    assertThat(JobDirectory.all(cluster.fs(), JobDirectory.ROOT_DEFAULT)).hasSize(begun);

    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.contiguous("/tree", "RS-3-2"), "third").converted())
          .isEqualTo(1 - begun);
    }
    assertThat(cluster.read("/tree/file")).isEqualTo(bytes);
  }

  /** Begins a job whose driver waits for the other one when its settings are written. */
  private JobReport begin(String name, CyclicBarrier settingsWritten) throws IOException {
    AtomicBoolean isWritten = new AtomicBoolean();
    try (DistributedFileSystem client =
            new WatchedFileSystem(
                call -> {
                  if (call.equals("rename2")) {
                    isWritten.set(true);
                  } else if (isWritten.getAndSet(false)) {
                    await(settingsWritten);
                  }
                });
        Driver driver = cluster.driver(client, JobObserver.NONE, StepListener.NONE)) {
      client.initialize(cluster.uri(), new Configuration(cluster.conf()));
      try {
        return driver.execute(ConvertCluster.contiguous("/tree", "RS-3-2"), name);
      } finally {
        isWritten.set(false);
      }
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
