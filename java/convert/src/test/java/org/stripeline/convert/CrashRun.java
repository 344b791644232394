// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.OpenFileEntry;
import org.apache.hadoop.hdfs.protocol.OpenFilesIterator.OpenFilesType;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;

/** A job that is killed at a step, possibly killed again while it is resumed, and then resumed. */
final class CrashRun {
  private static final int AT_ONCE = 4;
  private static final long MODIFIED_MS = 1_234_567_890_000L;

  private final ConvertCluster cluster;
  private final Random random;
  private final String root;
  private final Map<String, byte[]> files = new TreeMap<>();

  CrashRun(ConvertCluster cluster, long seed, String root) {
    this.cluster = cluster;
    this.random = new Random(seed);
    this.root = root;
  }

  /** Runs one job for each step, several concurrently, since they mostly wait for leases. */
  static void runAll(ConvertCluster cluster, long seed, Steps steps) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      Map<Step, Future<?>> runs = new EnumMap<>(Step.class);
      for (Step step : steps.of()) {
        String root = "/crash-" + step.ordinal();
        CrashRun run = new CrashRun(cluster, seed + step.ordinal(), root);
        runs.put(
            step,
            threads.submit(
                () -> {
                  run.run(step, steps.settings(root), steps.policy());
                  return null;
                }));
      }
      for (Map.Entry<Step, Future<?>> run : runs.entrySet()) {
        try {
          run.getValue().get();
        } catch (ExecutionException e) {
          throw new AssertionError(
              "Killed at " + run.getKey() + ", seed " + (seed + run.getKey().ordinal()),
              e.getCause());
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** The steps at which jobs are killed, with the settings and the expected policy. */
  interface Steps {
    Set<Step> of();

    JobSettings settings(String root);

    String policy();
  }

  void run(Step step, JobSettings settings, String policy) throws Exception {
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      String path = root + "/f" + i;
      int blocks = 1 + random.nextInt(4);
      files.put(path, cluster.write(path, blocks * ConvertCluster.BLOCK + random.nextInt(99_999)));
      cluster.fs().setTimes(new Path(path), MODIFIED_MS, MODIFIED_MS);
    }
    settings.filesAtOnce = 1 + random.nextInt(2);
    String job = root.substring(1);

    boolean isBack = step.compareTo(Step.ENDED) > 0;
    // Some rollbacks begin after the swap was announced: recovery must distinguish them from
    // completed swaps.
    Step first = !isBack ? step : step == Step.BACK_NAMED ? Step.VERIFIED : Step.SWAP_NAMED;
    kill(first, 1 + random.nextInt(count), driver -> driver.execute(settings, job));
    assertNothingLost();
    if (isBack) {
      kill(step, 1, driver -> driver.resume(root, null, new JobTuning()));
      assertNothingLost();
    } else if (random.nextBoolean()) {
      Step again = Step.values()[random.nextInt(Step.values().length)];
      killPerhaps(again, driver -> driver.resume(root, null, new JobTuning()));
      assertNothingLost();
    }
    if (cluster.fs().exists(temporaries())) {
      try (Driver driver = cluster.driver()) {
        assertThat(driver.resume(root, null, new JobTuning()).failures()).isEmpty();
      }
    }
    assertDone(policy);
  }

  private interface Work {
    JobReport on(Driver driver) throws IOException;
  }

  private void kill(Step step, int arrivals, Work work) throws IOException {
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, step, arrivals);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      assertThatThrownBy(() -> work.on(driver))
          .isInstanceOfAny(Crash.Death.class, JournalLostException.class);
    }
    assertThat(crash.happened()).isTrue();
  }

  /** The remaining work may not reach that step. */
  private void killPerhaps(Step step, Work work) throws IOException {
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, step, 1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      work.on(driver);
    } catch (Crash.Death | JournalLostException e) {
      assertThat(crash.happened()).isTrue();
    }
  }

  private void assertNothingLost() throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      assertThat(cluster.read(file.getKey())).isEqualTo(file.getValue());
    }
  }

  private void assertDone(String policy) throws Exception {
    assertNothingLost();
    for (String path : files.keySet()) {
      assertThat(cluster.policy(path)).as(path).isEqualTo(policy);
      assertThat(cluster.fs().getFileStatus(new Path(path)).getModificationTime())
          .isEqualTo(MODIFIED_MS);
      cluster.assertHealthy(path);
    }
    assertThat(cluster.fs().exists(temporaries())).isFalse();
    RemoteIterator<OpenFileEntry> open =
        cluster.fs().listOpenFiles(EnumSet.of(OpenFilesType.ALL_OPEN_FILES), root);
    assertThat(open.hasNext()).as("files whose lease somebody holds").isFalse();
  }

  private Path temporaries() {
    return new Path(JobDirectory.ROOT_DEFAULT + root, "tmp");
  }
}
