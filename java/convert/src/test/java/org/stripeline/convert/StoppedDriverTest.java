// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.HadoopProcess;
import org.stripeline.convert.fixture.StoppedDrivers;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.testkit.Conditions;

/**
 * Stops a process with drivers by SIGSTOP, lets others take their jobs over, and continues it while
 * those are in the middle of the same files.
 */
@Timeout(500)
@Tag("full")
class StoppedDriverTest {
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final long MODIFIED_MS = 1_234_567_890_000L;
  private static final FsPermission SHARED = new FsPermission((short) 0664);

  /** For each job the layout, and the steps at which its two drivers are stopped. */
  private static final String[] JOBS = {
    "contiguous BEGUN FENCED",
    "contiguous LINKED ENCODED",
    "contiguous ENCODED LINKED",
    "contiguous SWAP_NAMED PROTECTED",
    "contiguous FENCE_ENDED FENCE_ENDED",
    "contiguous LOOKED LOOKED",
    "contiguous SWAPPED ENDED",
    "contiguous BACK_NAMED VERIFIED",
    "contiguous BACK_DELETED FENCE_ENDED",
    "striped CREATED CREATED",
    "striped VERIFIED PROTECTED",
    "striped LOOKED FENCE_ENDED",
    "striped BACK_UNLINKED FENCED",
  };

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;
  private Process first;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final Map<String, byte[]> files = new TreeMap<>();

  @BeforeEach
  void start() throws IOException {
    cluster = ConvertCluster.withoutScanners(directory);
  }

  @AfterEach
  void stop() {
    goOn.countDown();
    threads.shutdownNow();
    if (first != null) {
      first.destroyForcibly();
    }
    cluster.close();
  }

  @Test
  void changesNothingOfTheDriversThatHaveTakenOver() throws Exception {
    for (String job : JOBS) {
      String path = file(job);
      files.put(path, cluster.write(path, 3 * BLOCK + 100));
      cluster.fs().setPermission(new Path(path), SHARED);
      cluster.fs().setTimes(new Path(path), MODIFIED_MS, MODIFIED_MS);
    }
    begin();
    Conditions.await("the stop", () -> isStopped(first.pid()) || !first.isAlive());
    assertThat(first.isAlive()).as(said()).isTrue();
    // So that the next drivers need not wait a minute for the leases of the first ones.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    CountDownLatch arrived = new CountDownLatch(JOBS.length);
    Map<String, Future<JobReport>> reports = new TreeMap<>();
    for (String job : JOBS) {
      reports.put(job, threads.submit(() -> takeOver(job, arrived)));
    }
    assertThat(arrived.await(100, TimeUnit.SECONDS)).isTrue();
    cluster.mini.setLeasePeriod(60_000, 3_600_000);

    HadoopProcess.signal(first, "CONT");
    assertThat(first.waitFor(100, TimeUnit.SECONDS)).as(said()).isTrue();
    goOn.countDown();

    for (String job : JOBS) {
      String taken = "Cannot continue: another process has taken over job " + name(job);
      assertThat(said()).contains(JournalLostException.class.getName() + ": " + taken);
      JobReport report = reports.get(job).get(100, TimeUnit.SECONDS);
      assertThat(report.failures()).as(job).isEmpty();
      assertThat(report.isComplete()).as(job).isTrue();
      assertConverted(file(job));
    }
    assertThat(cluster.temporaries()).isEmpty();
    assertThat(JobDirectory.unfinished(cluster.fs(), JobDirectory.ROOT_DEFAULT)).isEmpty();
  }

  private void assertConverted(String path) throws Exception {
    assertThat(cluster.read(path)).as(path).isEqualTo(files.get(path));
    FileStatus status = cluster.fs().getFileStatus(new Path(path));
    assertThat(status.getPermission()).as(path).isEqualTo(SHARED);
    assertThat(status.getModificationTime()).as(path).isEqualTo(MODIFIED_MS);
    assertThat(cluster.policy(path)).as(path).isNotNull();
    cluster.assertHealthy(path);
    assertThat(cluster.fs().listStatus(new Path(path).getParent())).as(path).hasSize(1);
  }

  private JobReport takeOver(String job, CountDownLatch arrived) throws IOException {
    Step stop = Step.valueOf(job.split(" ")[2]);
    AtomicBoolean isFirst = new AtomicBoolean(true);
    StepListener listener =
        (step, path) -> {
          if (step == stop && isFirst.getAndSet(false)) {
            arrived.countDown();
            StoppedDrivers.await(goOn);
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.resume("/" + name(job), name(job), new JobTuning());
    } finally {
      if (isFirst.getAndSet(false)) {
        arrived.countDown();
      }
    }
  }

  private static String name(String job) {
    return job.replace(' ', '-');
  }

  private static String file(String job) {
    return "/" + name(job) + "/a";
  }

  private String said() throws IOException {
    return Files.readString(directory.resolve("process").resolve(HadoopProcess.LOG));
  }

  private static boolean isStopped(long pid) throws IOException {
    String stat = Files.readString(Paths.get("/proc", Long.toString(pid), "stat"));
    return stat.startsWith("T", stat.lastIndexOf(')') + 2);
  }

  private void begin() throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.add(cluster.uri().toString());
    Arrays.stream(JOBS).map(job -> name(job) + " " + job).forEach(arguments::add);
    first =
        HadoopProcess.launch(
            StoppedDrivers.class,
            cluster.conf(),
            directory.resolve("process"),
            arguments.toArray(new String[0]));
  }
}
