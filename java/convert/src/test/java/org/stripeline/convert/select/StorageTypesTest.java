// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.RefusedException;

/**
 * Tests that files with storage policies whose storage no DataNode has, which any user can set, do
 * not keep the other files from being converted, and NameNodes without storage policies.
 */
class StorageTypesTest {
  private static final String CODE = "RS-3-2";
  private static final int BYTES = 3 * ConvertCluster.BLOCK;
  private static final String WARNING = "no DataNode in service has storage of type ARCHIVE";

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;
  private final List<String> warnings = Collections.synchronizedList(new ArrayList<>());

  private void start(boolean hasPolicies) throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            6,
            3,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setBoolean("dfs.storage.policy.enabled", hasPolicies);
            });
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private JobReport execute(String path) throws IOException {
    JobObserver observer =
        new JobObserver() {
          @Override
          public void warned(String warning) {
            warnings.add(warning);
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      return driver.execute(ConvertCluster.contiguous(path, CODE), "job");
    }
  }

  @Test
  void filesWithoutStorageAreLeftAndTheOthersConverted() throws Exception {
    start(true);
    byte[] cold = cluster.write("/tree/cold", BYTES);
    byte[] hot = cluster.write("/tree/hot", BYTES);
    byte[] fast = cluster.write("/tree/fast", BYTES);
    cluster.fs().setStoragePolicy(new Path("/tree/cold"), "COLD");
    // HDFS may fall back to disks when it creates blocks of this policy; some releases fail to.
    cluster.fs().setStoragePolicy(new Path("/tree/fast"), "ALL_SSD");

    JobReport report = execute("/tree");

    assertThat(report.failures()).anyMatch(failure -> failure.path.equals("/tree/cold"));
    assertThat(report.failures()).noneMatch(failure -> failure.path.equals("/tree/hot"));
    assertThat(report.isOpen()).isFalse();
    assertThat(warnings).singleElement().asString().contains(WARNING);
    cluster.assertBytes("/tree/cold", cold);
    cluster.assertBytes("/tree/hot", hot);
    cluster.assertBytes("/tree/fast", fast);
    assertThat(cluster.policy("/tree/cold")).isNull();
    assertThat(cluster.policy("/tree/hot")).isNotNull();
  }

  @Test
  void aJobOfWhichNoFileHasStorageIsRefused() throws Exception {
    start(true);
    cluster.write("/tree/cold", BYTES);
    cluster.fs().setStoragePolicy(new Path("/tree"), "COLD");

    assertThatThrownBy(() -> execute("/tree"))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("on storage of type ARCHIVE, and the DataNodes in service have 0 B");
  }

  @Test
  void filesOfANameNodeWithoutStoragePoliciesAreConvertedAndUndone() throws Exception {
    start(false);
    byte[] bytes = cluster.write("/adopted/a", BYTES);
    cluster.write("/copied/a", BYTES);

    assertThat(execute("/adopted").failures()).isEmpty();
    assertThat(cluster.policy("/adopted/a")).isNotNull();
    cluster.assertBytes("/adopted/a", bytes);
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.striped("/copied", CODE), "copy").failures())
          .isEmpty();
    }
    assertThat(cluster.policy("/copied/a")).isNotNull();
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.undo("/adopted"), "undo").failures()).isEmpty();
    }
    assertThat(cluster.policy("/adopted/a")).isNull();
    cluster.assertBytes("/adopted/a", bytes);
  }
}
