// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.namenode.NameNodeLimits;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.Origin;

/**
 * Tests that files with extended attributes which a new file could not get are skipped before any
 * work.
 */
@Tag("full")
class AttributeLimitTest {
  private static final String UNREADABLE = "security.hdfs.unreadable.by.superuser";
  private static final int BLOCK = ConvertCluster.BLOCK;

  /** More than Hadoop's default, so that the driver has to query the limit. */
  private static final int COUNT_MAX = 35;

  private static final int BYTES_MAX = 1000;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  private final Map<String, String> decisions = new TreeMap<>();
  private final Map<String, String> outcomes = new TreeMap<>();

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory,
            3,
            1,
            conf -> conf.setInt("dfs.namenode.fs-limits.max-xattrs-per-inode", COUNT_MAX));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private final JobObserver seen =
      new JobObserver() {
        @Override
        public void planned(Candidate file, FileDecision decision) {
          decisions.put(file.path(), decision.isConvert() ? "convert" : decision.skip().name());
        }

        @Override
        public synchronized void ended(String path, long bytes, FileOutcome outcome) {
          outcomes.put(path, outcome.kind() + " " + outcome.reason());
        }
      };

  private static void give(String path, int count, int bytes) throws IOException {
    for (int i = 0; i < count; i++) {
      cluster.fs().setXAttr(new Path(path), "user.a" + i, new byte[bytes]);
    }
  }

  private Totals plan(JobSettings settings) throws IOException {
    decisions.clear();
    try (Driver driver = cluster.driver(cluster.client(), seen, StepListener.NONE)) {
      return driver.plan(settings);
    }
  }

  private JobReport execute(JobSettings settings, String name) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), seen, StepListener.NONE)) {
      return driver.execute(settings, name);
    }
  }

  private static JobSettings striped(String path) {
    JobSettings settings = ConvertCluster.striped(path, "XOR-2-1");
    settings.allowRackLoss = true;
    return settings;
  }

  @Test
  void leavesFilesWithTooManyAttributesOrThatNoSuperuserReads() throws Exception {
    byte[] full = cluster.write("/count/full", 2 * BLOCK);
    byte[] most = cluster.write("/count/most", 2 * BLOCK);
    cluster.write("/count/secret", 2 * BLOCK);
    give("/count/full", COUNT_MAX, 1);
    give("/count/most", COUNT_MAX - 1, 1);
    cluster.fs().setXAttr(new Path("/count/secret"), UNREADABLE, null);

    Map<SkipReason, Totals.Skipped> skipped = plan(striped("/count")).skipped;
    assertThat(decisions)
        .containsEntry("/count/full", "ATTRIBUTES_FULL")
        .containsEntry("/count/most", "convert")
        .containsEntry("/count/secret", "UNREADABLE_BY_SUPERUSER");
    Map<SkipReason, List<String>> examples = new EnumMap<>(SkipReason.class);
    skipped.forEach((reason, sum) -> examples.put(reason, sum.examples));
    assertThat(examples).containsEntry(SkipReason.ATTRIBUTES_FULL, List.of("/count/full"));

    assertThat(execute(striped("/count"), "count").failed()).isZero();
    assertThat(outcomes).containsOnlyKeys("/count/most");
    assertThat(cluster.policy("/count/full")).isNull();
    assertThat(cluster.read("/count/full")).isEqualTo(full);
    assertThat(cluster.policy("/count/secret")).isNull();
    assertThat(cluster.policy("/count/most")).isEqualTo("XOR-2-1-64k");
    assertThat(cluster.read("/count/most")).isEqualTo(most);
    // Undoing removes the attribute that records the replication, so the others fit.
    JobReport undone = execute(ConvertCluster.undo("/count"), "uncount");
    assertThat(undone.failed()).as("%s", outcomes).isZero();
    assertThat(undone.converted()).isEqualTo(1);
    assertThat(cluster.policy("/count/most")).isNull();
    assertThat(cluster.fs().getXAttrs(new Path("/count/most"))).hasSize(COUNT_MAX - 1);
  }

  /** One attribute records the replication, and another the storage policy. */
  @Test
  void countsTheAttributeThatRecordsTheStoragePolicy() throws Exception {
    cluster.write("/policies/most", 2 * BLOCK);
    give("/policies/most", COUNT_MAX - 1, 1);
    JobSettings settings = striped("/policies");
    settings.storagePolicy = "COLD";
    plan(settings);
    assertThat(decisions).containsEntry("/policies/most", "ATTRIBUTES_FULL");
  }

  /** The limit may have been lowered since the conversion. */
  @Test
  void doesNotCountRecordsThatUndoingRemoves() {
    NameNodeLimits limits = NameNodeLimits.ask(cluster.uri(), cluster.conf());
    Map<String, byte[]> attributes = new TreeMap<>();
    for (int i = 0; i < COUNT_MAX; i++) {
      attributes.put("user.a" + i, new byte[1]);
    }
    attributes.put(Origin.ATTRIBUTE, new byte[1]);
    attributes.put(Origin.STORAGE_POLICY, new byte[1]);
    AttributeJudge judge = new AttributeJudge(() -> limits);
    assertThat(judge.judge(attributes, List.of())).isNull();
    assertThat(judge.judge(attributes, List.of(Origin.ATTRIBUTE)))
        .isEqualTo(SkipReason.ATTRIBUTES_FULL);
  }

  /**
   * Checks the assumption behind the skipping: in HDFS a superuser can neither read such a file nor
   * remove the attribute.
   */
  @Test
  void hdfsLetsNoSuperuserReadOrOpenSuchAFileAgain() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    Path path = new Path("/stock/secret");
    cluster.write("/stock/secret", 10);
    fs.setXAttr(path, UNREADABLE, null);

    assertThatThrownBy(() -> fs.open(path)).isInstanceOf(AccessControlException.class);
    assertThatThrownBy(() -> fs.getFileChecksum(path)).isInstanceOf(AccessControlException.class);
    assertThatThrownBy(() -> fs.removeXAttr(path, UNREADABLE))
        .hasMessageContaining("can not be deleted");
  }

  @Test
  void leavesFilesWithAnAttributeLargerThanTheNameNodeNowAccepts() throws Exception {
    cluster.write("/size/large", 2 * BLOCK);
    cluster.write("/size/most", 2 * BLOCK);
    // The name counts too, without its name space.
    give("/size/large", 1, BYTES_MAX + 1 - "a0".length());
    give("/size/most", 1, BYTES_MAX - "a0".length());
    assertThat(plan(striped("/size")).files).isEqualTo(2);

    cluster.mini.getConfiguration(0).setInt("dfs.namenode.fs-limits.max-xattr-size", BYTES_MAX);
    cluster.mini.restartNameNode(0);
    cluster.mini.waitActive();
    assertThat(plan(striped("/size")).files).isEqualTo(1);
    assertThat(decisions)
        .containsEntry("/size/large", "ATTRIBUTE_TOO_LARGE")
        .containsEntry("/size/most", "convert");
    assertThat(execute(striped("/size"), "size").failed()).as("%s", outcomes).isZero();
    assertThat(outcomes).containsOnlyKeys("/size/most");
    assertThat(cluster.policy("/size/most")).isEqualTo("XOR-2-1-64k");
  }
}
