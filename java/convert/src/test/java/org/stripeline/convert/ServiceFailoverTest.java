// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.service.ServiceStatus;
import org.stripeline.convert.service.StatusRecorder;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.natives.Ticker;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** Tests a conversion service while NameNodes restart and take over from each other. */
@Tag("full")
@Timeout(200)
class ServiceFailoverTest {
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;
  private static int active;

  private final List<String> said = Collections.synchronizedList(new ArrayList<>());
  private final List<String> swapped = Collections.synchronizedList(new ArrayList<>());
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ServiceTestCase.SetClock clock = new ServiceTestCase.SetClock();
  private final AtomicBoolean isWalkDisturbed = new AtomicBoolean(true);
  private Step disturbed;
  private String tree;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        ConvertCluster.withStandby(
            directory,
            4,
            2,
            conf -> {
              conf.set("dfs.ha.tail-edits.period", "1s");
              conf.setInt("dfs.client.failover.sleep.base.millis", 50);
              conf.setInt("dfs.client.failover.sleep.max.millis", 500);
              conf.setInt("ipc.client.connect.retry.interval", 50);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void endThreads() throws InterruptedException {
    threads.shutdownNow();
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  private static void failOver() {
    try {
      cluster.mini.transitionToStandby(active);
      active = 1 - active;
      cluster.mini.transitionToActive(active);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Restarts the active NameNode. NameNodes in one process share their erasure coding policies,
   * which are absent while one starts: a standby that reads edits then ends the process. So it
   * reads none from now on, until it becomes active.
   */
  private static void restart() {
    try {
      cluster.mini.getNamesystem(1 - active).getEditLogTailer().stop();
      cluster.mini.restartNameNode(active, true);
      cluster.mini.transitionToActive(active);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private ConversionService service(DistributedFileSystem fs, Runnable change) throws IOException {
    java.nio.file.Path rules = Files.createTempFile(directory, "rules", ".xml");
    String text = "<rules>" + ServiceTestCase.rule("tree", tree, ServiceTestCase.COPY) + "</rules>";
    Files.write(rules, text.getBytes(StandardCharsets.UTF_8));
    ServiceOptions options = new ServiceOptions();
    options.file = rules.toString();
    return new ConversionService(
        fs,
        options,
        JobDirectory.ROOT_DEFAULT,
        (settings, layout, observer, isOver) -> job(settings, observer, isOver, change),
        said::add,
        clock,
        Ticker.SYSTEM);
  }

  private int job(
      JobSettings settings, JobObserver observer, BooleanSupplier isOver, Runnable change) {
    try (Driver driver =
        new Driver(
            cluster.client(),
            JobDirectory.ROOT_DEFAULT,
            observer,
            (step, path) -> {
              if (step == disturbed) {
                disturbed = null;
                change.run();
              }
              if (step == Step.SWAPPED) {
                swapped.add(path);
              }
            })) {
      if (!isWalkDisturbed.getAndSet(true)) {
        change.run();
      }
      driver.beginUntil(isOver);
      JobReport report = driver.execute(settings, JobDirectory.newName());
      return report.isComplete() ? ExitStatus.SOUND : ExitStatus.FAILED;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitPass(long number) {
    Conditions.await(
        "the end of pass " + number + said,
        () -> {
          ServiceStatus now = StatusRecorder.read(cluster.fs(), JobDirectory.ROOT_DEFAULT);
          return now != null && now.passes == number && now.nextPassMs != null;
        });
  }

  /** Disturbs a service while it waits, while it begins a job and while it converts a file. */
  private void keepsItsLease(Runnable change) throws Exception {
    cluster.write(tree + "/a", 2 * BLOCK);
    try (DistributedFileSystem fs = cluster.client();
        DistributedFileSystem other = cluster.client()) {
      ConversionService service = service(fs, change);
      Future<Integer> serving = threads.submit(() -> service.serve(3_600_000));
      awaitPass(1);
      change.run();
      assertThatThrownBy(() -> service(other, change).serve(0))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("another service");

      cluster.write(tree + "/b", 2 * BLOCK);
      isWalkDisturbed.set(false);
      clock.set("13:00");
      awaitPass(2);

      cluster.write(tree + "/c", 2 * BLOCK);
      disturbed = Step.CREATED;
      clock.set("14:00");
      awaitPass(3);
      assertThatThrownBy(() -> service(other, change).serve(0))
          .isInstanceOf(RefusedException.class);
      service.stop();
      assertThat(serving.get(60, TimeUnit.SECONDS)).as(said.toString()).isEqualTo(ExitStatus.SOUND);
      assertThat(swapped).containsExactly(tree + "/a", tree + "/b", tree + "/c");
      for (String path : swapped) {
        assertThat(cluster.policy(path)).as(path).isNotNull();
      }
      assertThat(JobDirectory.unfinished(cluster.fs(), JobDirectory.ROOT_DEFAULT)).isEmpty();
      cluster.fs().delete(new Path(JobDirectory.ROOT_DEFAULT, "service.json"), false);
    }
  }

  @Test
  void aServiceKeepsItsLeaseOverFailovers() throws Exception {
    tree = "/over";
    keepsItsLease(ServiceFailoverTest::failOver);
  }

  @Test
  void aServiceKeepsItsLeaseOverRestarts() throws Exception {
    tree = "/restarted";
    keepsItsLease(ServiceFailoverTest::restart);
  }
}
