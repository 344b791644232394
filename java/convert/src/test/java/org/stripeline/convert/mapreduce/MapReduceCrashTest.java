// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
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
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.fixture.CrashRun;
import org.stripeline.convert.fixture.EarlierJournal;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.convert.settings.Layout;

/** Kills drivers that use maps, at the steps that differ from those of other drivers. */
@Tag("full")
class MapReduceCrashTest {
  private static final long SEED = 12;

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

  private static CrashRun.Steps steps(Layout layout, EnumSet<Step> of) {
    return new CrashRun.Steps() {
      @Override
      public Set<Step> of() {
        return of;
      }

      @Override
      public JobSettings settings(String root) {
        return ConvertCluster.mapped(
            layout == Layout.STRIPED
                ? ConvertCluster.striped(root, "RS-3-2")
                : ConvertCluster.contiguous(root, "RS-3-2"));
      }

      @Override
      public String policy() {
        return layout == Layout.STRIPED ? "RS-3-2-64k" : "RS-3-2-1024k";
      }
    };
  }

  @Test
  void losesNothingWhenItDiesDuringCopies() throws Exception {
    EnumSet<Step> steps = EnumSet.of(Step.CREATED, Step.MADE, Step.SWAPPED, Step.BACK_DELETED);
    CrashRun.runAll(cluster, SEED, steps(Layout.STRIPED, steps));
  }

  @Test
  void losesNothingWhenItDiesDuringEncoding() throws Exception {
    EnumSet<Step> steps = EnumSet.of(Step.LINKED, Step.ENCODED, Step.BACK_NAMED);
    CrashRun.runAll(cluster, SEED, steps(Layout.CONTIGUOUS, steps));
  }

  /** Maps leave notes of their tasks, and parts of files, where earlier versions left them. */
  @ParameterizedTest
  @CsvSource({"CONTIGUOUS, LINKED", "CONTIGUOUS, ENCODED", "STRIPED, CREATED", "STRIPED, MADE"})
  void resumesAJobOfAnEarlierVersion(Layout layout, Step step) throws Exception {
    String job = "earlier-" + step.name().toLowerCase(Locale.ROOT);
    String file = "/" + job + "/a";
    byte[] bytes = cluster.write(file, 4 * ConvertCluster.BLOCK);
    DistributedFileSystem client = cluster.client();
    try (Driver driver = cluster.driver(client, JobObserver.NONE, new Crash(client, step, 1))) {
      JobSettings settings = steps(layout, EnumSet.of(step)).settings("/" + job);
      assertThatThrownBy(() -> driver.execute(settings, job)).isInstanceOf(Crash.Death.class);
    }
    EarlierJournal.rewrite(cluster.fs(), job);

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
}
