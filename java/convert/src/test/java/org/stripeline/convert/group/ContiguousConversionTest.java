// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.apache.hadoop.metrics2.lib.MutableCounterLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.RefusedException;
import org.stripeline.testkit.Conditions;

/** Tests adoption on a mini cluster with racks, whose DataNodes are stock except for the agent. */
class ContiguousConversionTest {
  private static final String CODE = "RS-3-2";
  private static final String POLICY = "RS-3-2-1024k";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory, 8, 4, conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static JobReport convert(String path, String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.execute(ConvertCluster.contiguous(path, CODE), job);
    }
  }

  private static void assertConverted(String path, byte[] bytes) throws Exception {
    assertThat(cluster.policy(path)).isEqualTo(POLICY);
    assertThat(cluster.read(path)).isEqualTo(bytes);
    Configuration ours = new Configuration(cluster.conf());
    ours.set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    try (DistributedFileSystem fs =
        (DistributedFileSystem) FileSystem.newInstance(cluster.mini.getURI(), ours)) {
      assertThat(ConvertCluster.read(fs, path)).isEqualTo(bytes);
    }
    cluster.assertHealthy(path);
    cluster.assertParityRight(path);
  }

  @Test
  void refusesJobsIfTheSpaceQuotaHasNoRoomForAWholeFile() throws Exception {
    byte[] bytes = cluster.write("/quota/a", 3 * BLOCK);
    String root = "/jobs-in-quota/jobs";
    Path jobs = new Path("/jobs-in-quota");
    cluster.fs().mkdirs(jobs);
    // Two parity blocks are added, but the three adopted ones and the block of the journal count.
    cluster.fs().setQuota(jobs, HdfsConstants.QUOTA_DONT_SET, 8L * BLOCK - 1);
    JobSettings settings = ConvertCluster.contiguous("/quota", CODE);
    try (Driver driver = new Driver(cluster.client(), root, JobObserver.NONE, StepListener.NONE)) {
      assertThatThrownBy(() -> driver.execute(settings, "quota"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("count below /jobs-in-quota, whose space quota leaves");
    }
    assertThat(cluster.fs().listStatus(jobs)).isEmpty();

    cluster.fs().setQuota(jobs, HdfsConstants.QUOTA_DONT_SET, 12L * BLOCK);
    try (Driver driver = new Driver(cluster.client(), root, JobObserver.NONE, StepListener.NONE)) {
      assertThat(driver.execute(settings, "quota").failures()).isEmpty();
    }
    assertConverted("/quota/a", bytes);
  }

  @Test
  void writesParityOnlyAndKeepsAttributes() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/adopt/a", 7 * BLOCK + 4711);
    Path file = new Path("/adopt/a");
    fs.setOwner(file, "alice", "staff");
    fs.setPermission(file, new FsPermission((short) 0640));
    fs.modifyAclEntries(file, AclEntry.parseAclSpec("user:bob:r--", true));
    fs.setXAttr(file, "user.colour", "blue".getBytes());
    fs.setTimes(file, 1_111_111_111_000L, 1_222_222_222_000L);
    FileStatus before = fs.getFileStatus(file);
    Object acl = fs.getAclStatus(file);
    long writtenBefore = bytesWritten();

    JobReport report = convert("/adopt", "adopt");
    long written = bytesWritten() - writtenBefore;

    assertThat(report.failures()).isEmpty();
    FileStatus after = fs.getFileStatus(file);
    assertThat(after.getOwner()).isEqualTo("alice");
    assertThat(after.getGroup()).isEqualTo("staff");
    assertThat(after.getPermission()).isEqualTo(before.getPermission());
    assertThat(after.getModificationTime()).isEqualTo(before.getModificationTime());
    assertThat(after.getAccessTime()).isEqualTo(before.getAccessTime());
    assertThat(fs.getAclStatus(file)).isEqualTo(acl);
    assertThat(fs.getXAttr(file, "user.colour")).isEqualTo("blue".getBytes());
    AdoptionTraffic traffic = report.traffic();
    // Three groups with 3, 3 and 2 blocks, the last of which is short.
    assertThat(traffic.blocksLinked() + traffic.blocksSent()).isEqualTo(8);
    assertThat(traffic.blocksCopied()).isZero();
    assertThat(traffic.bytesWritten() - traffic.blocksSent() * BLOCK)
        .isLessThanOrEqualTo(6 * BLOCK);
    // DataNodes count the bytes they receive; the remainder is the journal and its checksums.
    assertThat(written)
        .isGreaterThanOrEqualTo(traffic.bytesWritten())
        .isLessThan(traffic.bytesWritten() + BLOCK / 2);
    assertConverted("/adopt/a", bytes);
    assertThat(cluster.temporaries()).isEmpty();
    Conditions.await("old replicas to go", () -> spaceUsed("/adopt") <= 14 * BLOCK);

    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.undo("/adopt"), "adopt-undo").failures()).isEmpty();
    }
    assertThat(cluster.policy("/adopt/a")).isNull();
    assertThat(fs.getFileStatus(file).getReplication()).isEqualTo((short) 3);
    assertThat(cluster.read("/adopt/a")).isEqualTo(bytes);
  }

  private static long spaceUsed(String path) throws IOException {
    return cluster.fs().getContentSummary(new Path(path)).getSpaceConsumed();
  }

  /**
   * Reads the counter that JMX shows as BytesWritten, without waiting for the JMX cache to expire.
   */
  private static long bytesWritten() throws Exception {
    Field field = DataNodeMetrics.class.getDeclaredField("bytesWritten");
    field.setAccessible(true);
    long sum = 0;
    for (DataNode node : cluster.mini.getDataNodes()) {
      sum += ((MutableCounterLong) field.get(node.getMetrics())).value();
    }
    return sum;
  }

  @Test
  void takesShortBlocksWithinFiles() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] first = cluster.write("/concat/a", 2 * BLOCK + 77 * 512);
    byte[] second = cluster.write("/concat/b", 3 * BLOCK + 9);
    fs.concat(new Path("/concat/a"), new Path[] {new Path("/concat/b")});
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);

    assertThat(convert("/concat", "concat").failures()).isEmpty();

    assertConverted("/concat/a", both);
  }

  @Test
  void setsAStoragePolicyAndRespectsTheRateLimit() throws Exception {
    byte[] bytes = cluster.write("/cold/a", 4 * BLOCK);
    JobSettings settings = ConvertCluster.contiguous("/cold", CODE);
    settings.storagePolicy = "COLD";
    settings.bytesPerSecond = 8 * BLOCK;
    long start = System.nanoTime();
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(settings, "cold").failures()).isEmpty();
    }
    // For the first group, one DataNode reads 3 blocks and writes 2.
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(300));
    assertThat(cluster.fs().getStoragePolicy(new Path("/cold/a")).getName()).isEqualTo("COLD");
    assertConverted("/cold/a", bytes);
  }

  @Test
  void continuesWithOtherFilesWhenAFileChanges() throws Exception {
    byte[] moved = cluster.write("/meddled/moved", 4 * BLOCK);
    byte[] other = cluster.write("/meddled/other", 4 * BLOCK);
    cluster.write("/meddled/deleted", 4 * BLOCK);
    StepListener meddler =
        (step, path) -> {
          if (step == Step.LINKED) {
            meddle(new Path(path));
          }
        };

    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, meddler)) {
      report = driver.execute(ConvertCluster.contiguous("/meddled", CODE), "meddled");
    }

    assertThat(report.failures())
        .extracting(failure -> failure.path)
        .containsExactly("/meddled/deleted");
    assertConverted("/meddled-away", moved);
    assertConverted("/meddled/other", other);
    assertThat(cluster.fs().exists(new Path("/meddled/deleted"))).isFalse();
    assertThat(cluster.temporaries()).isEmpty();
  }

  private static void meddle(Path file) {
    try {
      if (file.getName().equals("deleted")) {
        cluster.fs().delete(file, false);
      } else if (file.getName().equals("moved")) {
        cluster.fs().rename(file, new Path("/meddled-away"));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void stockHdfsRebuildsWhatADataNodeHad() throws Exception {
    byte[] bytes = cluster.write("/lost/a", 6 * BLOCK + 99);
    assertThat(convert("/lost", "lost").failures()).isEmpty();
    LocatedStripedBlock group = (LocatedStripedBlock) cluster.blocks("/lost/a").get(0);
    DatanodeInfo victim = group.getLocations()[0];

    DataNodeProperties stopped = cluster.mini.stopDataNode(victim.getXferAddr());
    try {
      assertThat(cluster.read("/lost/a")).isEqualTo(bytes);
      cluster.mini.setDataNodeDead(victim);
      Conditions.await(
          "reconstruction", () -> !cluster.isOn("/lost/a", victim) && cluster.isWhole("/lost/a"));
      assertConverted("/lost/a", bytes);
    } finally {
      cluster.mini.restartDataNode(stopped, true);
      cluster.mini.waitActive();
    }
  }

  @Test
  void survivesRestartOfTheNameNode() throws Exception {
    byte[] bytes = cluster.write("/again/a", 4 * BLOCK);
    assertThat(convert("/again", "again").failures()).isEmpty();
    cluster.mini.restartNameNode();
    cluster.mini.waitActive();
    Conditions.await("block reports", () -> cluster.isWhole("/again/a"));
    assertConverted("/again/a", bytes);
  }

  @Test
  void refusesWithoutAgents() throws Exception {
    cluster.write("/agentless/a", 4 * BLOCK);
    cluster.conf().unset("dfs.datanode.plugins");
    cluster.mini.startDataNodes(cluster.conf(), 1, true, null, new String[] {"/rack1"}, null);
    cluster.conf().set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
    cluster.mini.waitActive();
    int last = cluster.mini.getDataNodes().size() - 1;
    DatanodeID node = cluster.mini.getDataNodes().get(last).getDatanodeId();
    try {
      assertThatThrownBy(() -> convert("/agentless", "agentless"))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("1 of 9 DataNodes have no suitable agent")
          .hasMessageContaining(node.getXferAddr())
          .hasMessageContaining("--layout=striped");
      assertThat(cluster.policy("/agentless/a")).isNull();
    } finally {
      cluster.mini.stopDataNode(last);
      cluster.mini.setDataNodeDead(node);
    }
  }
}
