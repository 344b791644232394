// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.WatchedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.fixture.CrashRun;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JobLock;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.testkit.Conditions;

/** Kills drivers at every step of a copy. */
@Tag("full")
class StripedCrashTest {
  private static final long SEED = 5;
  private static final long MODIFIED_MS = 1_000_000_000_000L;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = new ConvertCluster(directory, 6, 3, conf -> {});
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void losesNothingAtAnyStep() throws Exception {
    CrashRun.runAll(
        cluster,
        SEED,
        new CrashRun.Steps() {
          @Override
          public Set<Step> of() {
            return EnumSet.complementOf(EnumSet.of(Step.GROUP_NAMED, Step.LINKED, Step.ENCODED));
          }

          @Override
          public JobSettings settings(String root) {
            return ConvertCluster.striped(root, "RS-3-2");
          }

          @Override
          public String policy() {
            return "RS-3-2-64k";
          }
        });
  }

  @Test
  void restoresTimesThatTheNameNodeChangedWhenItClosedTheFile() throws Exception {
    DistributedFileSystem client = cluster.client();
    assertTimesAreRestored("/closed", client, new Crash(client, Step.FENCED, 1));
  }

  /** The driver dies before it learns that it has the lease. */
  @Test
  void restoresTimesThoughTheDriverDiesWhileItTakesTheLease() throws Exception {
    Crash[] crash = new Crash[1];
    DistributedFileSystem client =
        new WatchedFileSystem(
            call -> {},
            answer -> {
              if (answer instanceof LastBlockWithStatus) {
                crash[0].reached(Step.FENCED, "");
              }
            });
    Configuration conf = new Configuration(cluster.conf());
    conf.set(HdfsClientConfigKeys.DFS_CHECKSUM_COMBINE_MODE_KEY, "COMPOSITE_CRC");
    client.initialize(cluster.uri(), conf);
    crash[0] = new Crash(client, Step.FENCED, 1);
    assertTimesAreRestored("/taken", client, crash[0]);
  }

  private static void assertTimesAreRestored(String path, DistributedFileSystem client, Crash crash)
      throws Exception {
    Path file = new Path(path, "a");
    byte[] bytes = cluster.write(file.toString(), 2 * ConvertCluster.BLOCK);
    cluster.fs().setTimes(file, MODIFIED_MS, MODIFIED_MS);
    String job = path.substring(1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      assertThatThrownBy(() -> driver.execute(ConvertCluster.striped(path, "RS-3-2"), job))
          .isInstanceOf(Crash.Death.class);
    }
    Conditions.await("lease", () -> cluster.fs().recoverLease(file));
    assertThat(cluster.fs().getFileStatus(file).getModificationTime()).isNotEqualTo(MODIFIED_MS);

    try (Driver driver = cluster.driver()) {
      JobReport report = driver.resume(path, job, new JobTuning());
      assertThat(report.rolledBack()).isEqualTo(1);
      assertThat(report.converted()).isEqualTo(1);
    }
    assertThat(cluster.fs().getFileStatus(file).getModificationTime()).isEqualTo(MODIFIED_MS);
    assertThat(cluster.read(file.toString())).isEqualTo(bytes);
  }

  @Test
  void oneDriverHasAJob() throws Exception {
    cluster.write("/single/a", 2 * ConvertCluster.BLOCK);
    JobSettings settings = ConvertCluster.striped("/single", "RS-3-2");
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    StepListener slow =
        (step, path) -> {
          if (step == Step.FENCED) {
            waiting.countDown();
            awaitQuietly(go);
          }
        };
    AtomicReference<JobReport> report = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread first =
        new Thread(
            () -> {
              try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, slow)) {
                report.set(driver.execute(settings, "single"));
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    cluster.mini.setLeasePeriod(60_000, 3_600_000);
    first.start();
    try {
      waiting.await();
      try (DistributedFileSystem other = cluster.client()) {
        JobDirectory directory =
            JobDirectory.unfinished(other, JobDirectory.ROOT_DEFAULT).stream()
                .filter(job -> job.name().equals("single"))
                .findAny()
                .get();
        InstantWaits ticker = new InstantWaits();
        assertThatThrownBy(() -> JobLock.take(other, directory, 10_000, ticker))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("another driver has it");
        assertThat(ticker.millis()).isBetween(10_001L, 10_250L);
      }
      try (Driver driver = cluster.driver()) {
        assertThatThrownBy(() -> driver.execute(settings, "single-again"))
            .isInstanceOf(RefusedException.class)
            .hasMessageContaining("job single on /single is not finished");
      }
    } finally {
      go.countDown();
      first.join();
      cluster.mini.setLeasePeriod(500, 3_600_000);
    }
    assertThat(failure.get()).isNull();
    assertThat(report.get().converted()).isEqualTo(1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
