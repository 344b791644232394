// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.AgentCounts;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.fixture.CrashRun;
import org.stripeline.convert.fixture.EarlierJournal;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.JournalLostException;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.Layout;
import org.stripeline.server.datanode.AgentCount;
import org.stripeline.testkit.Conditions;

/** Kills drivers that use maps, at the steps that differ from those of other drivers. */
@Tag("full")
class MapReduceCrashTest {
  private static final long SEED = 12;
  private static final String CODE = "RS-3-2";

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            8,
            4,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.set("hadoop.tmp.dir", directory.resolve("mapred").toString());
              conf.setInt("mapreduce.local.map.tasks.maximum", 4);
            });
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static final CrashRun.Steps STRIPED =
      new CrashRun.Steps() {
        @Override
        public Set<Step> of() {
          return EnumSet.of(Step.CREATED, Step.MADE, Step.SWAPPED, Step.BACK_DELETED);
        }

        @Override
        public JobSettings settings(String root) {
          return ConvertCluster.mapped(ConvertCluster.striped(root, CODE));
        }

        @Override
        public String policy() {
          return "RS-3-2-64k";
        }
      };

  @Test
  void losesNothingWhenItDiesDuringCopies() throws Exception {
    CrashRun.runAll(cluster, SEED, STRIPED);
  }

  /** Maps leave parts of files where earlier versions left them; those also had agents encode. */
  @ParameterizedTest
  @CsvSource({"CONTIGUOUS, LINKED", "CONTIGUOUS, ENCODED", "STRIPED, CREATED", "STRIPED, MADE"})
  void resumesAJobOfAnEarlierVersion(Layout layout, Step step) throws Exception {
    String job = "earlier-" + step.name().toLowerCase(Locale.ROOT);
    String file = "/" + job + "/a";
    byte[] bytes = cluster.write(file, 4 * ConvertCluster.BLOCK);
    DistributedFileSystem client = cluster.client();
    try (Driver driver = cluster.driver(client, JobObserver.NONE, new Crash(client, step, 1))) {
      JobSettings settings =
          layout == Layout.STRIPED
              ? STRIPED.settings("/" + job)
              : ConvertCluster.contiguous("/" + job, CODE);
      assertThatThrownBy(() -> driver.execute(settings, job)).isInstanceOf(Crash.Death.class);
    }
    EarlierJournal.rewrite(cluster.fs(), job);
    if (layout == Layout.CONTIGUOUS) {
      EarlierJournal.rewriteAsOfMaps(cluster.fs(), job);
    }

    JobReport report;
    try (Driver driver = cluster.driver()) {
      report = driver.resume("/" + job, null, new JobTuning());
    }

    assertThat(report.rolledBack()).isEqualTo(1);
    assertThat(report.converted()).isEqualTo(1);
    assertThat(cluster.fs().exists(new Path(JobDirectory.ROOT_DEFAULT + "/" + job, "tmp")))
        .isFalse();
    cluster.assertBytes(file, bytes);
    cluster.assertParityRight(file);
  }

  /** The number of the task is only in a note of the map that began it. */
  @Test
  void endsATaskThatAMapOfAnEarlierVersionBegan() throws Exception {
    String job = "earlier-task";
    byte[] bytes = cluster.write("/earlier-task/a", 3 * ConvertCluster.BLOCK);
    JobSettings settings = ConvertCluster.contiguous("/earlier-task", CODE);
    settings.bytesPerSecond = ConvertCluster.BLOCK / 4;
    DistributedFileSystem client = cluster.client();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Driver driver = cluster.driver(client, JobObserver.NONE, StepListener.NONE)) {
      Future<JobReport> dead = thread.submit(() -> driver.execute(settings, job));
      Conditions.await("task", () -> EarlierJournal.hasTask(cluster.fs(), job));
      client.getClient().closeAllFilesBeingWritten(true);
      EarlierJournal.rewriteAsOfMaps(cluster.fs(), job);
      assertThat(EarlierJournal.hasTask(cluster.fs(), job)).isFalse();
      long cancelled = AgentCounts.now().get(AgentCount.TASKS_CANCELLED);

      JobTuning tuning = new JobTuning();
      tuning.bytesPerSecond = 0L;
      try (Driver next = cluster.driver()) {
        JobReport report = next.resume("/earlier-task", null, tuning);
        assertThat(report.rolledBack()).isEqualTo(1);
        assertThat(report.converted()).isEqualTo(1);
      }

      assertThat(AgentCounts.now().get(AgentCount.TASKS_CANCELLED) - cancelled).isOne();
      assertThatThrownBy(dead::get).hasCauseInstanceOf(JournalLostException.class);
    } finally {
      thread.shutdownNow();
    }
    cluster.assertBytes("/earlier-task/a", bytes);
    cluster.assertParityRight("/earlier-task/a");
  }
}
