// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.CrashRun;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.testkit.Conditions;

/** Kills drivers at every step of an adoption. */
@Tag("full")
class ContiguousCrashTest {
  private static final long SEED = 25;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory, 8, 4, conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
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
            return EnumSet.allOf(Step.class);
          }

          @Override
          public JobSettings settings(String root) {
            return ConvertCluster.contiguous(root, "RS-3-2");
          }

          @Override
          public String policy() {
            return "RS-3-2-1024k";
          }
        });
    assertThat(cluster.internalBlocks()).isNotZero();

    for (Step step : Step.values()) {
      cluster.fs().delete(new Path("/crash-" + step.ordinal()), true);
    }
    Conditions.await("all internal blocks to go", () -> cluster.internalBlocks() == 0);
  }
}
