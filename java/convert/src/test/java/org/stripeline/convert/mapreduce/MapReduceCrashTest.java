// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.mapreduce;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.CrashRun;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.settings.JobSettings;

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
}
