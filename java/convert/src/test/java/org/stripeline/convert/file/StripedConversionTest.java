// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.FileDecision;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/** Tests copies into stripes and back, on a cluster of stock HDFS. */
class StripedConversionTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    // Small enough that every listing takes several pages.
    cluster = new ConvertCluster(directory, 6, 3, conf -> conf.setInt("dfs.ls.limit", 2));
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static JobReport convert(String path, String job) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.execute(ConvertCluster.striped(path, CODE), job);
    }
  }

  @Test
  void keepsBytesAndAttributesAndCanBeUndone() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/kept/a", 3 * BLOCK + 12345);
    Path file = new Path("/kept/a");
    fs.setReplication(file, (short) 2);
    fs.setOwner(file, "alice", "staff");
    fs.setPermission(file, new FsPermission((short) 0640));
    fs.modifyAclEntries(file, AclEntry.parseAclSpec("user:bob:r--", true));
    fs.setXAttr(file, "user.colour", "blue".getBytes());
    fs.setStoragePolicy(file, "HOT");
    fs.setTimes(file, 1_111_111_111_000L, 1_222_222_222_000L);
    FileStatus before = fs.getFileStatus(file);
    Object acl = fs.getAclStatus(file);

    JobReport report = convert("/kept", "kept");

    assertThat(report.failures()).isEmpty();
    assertThat(report.converted()).isEqualTo(1);
    assertThat(cluster.policy("/kept/a")).isEqualTo("RS-3-2-64k");
    assertSameAttributes(before, acl, file);
    assertThat(fs.getStoragePolicy(file).getName()).isEqualTo("HOT");
    assertThat(fs.getXAttr(file, "user.colour")).isEqualTo("blue".getBytes());
    assertThat(cluster.read("/kept/a")).isEqualTo(bytes);
    cluster.assertHealthy("/kept/a");
    cluster.assertParityRight("/kept/a");
    assertThat(cluster.temporaries()).isEmpty();
    fs.setTimes(file, before.getModificationTime(), before.getAccessTime());

    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.undo("/kept"), "kept-undo").failures()).isEmpty();
    }
    assertThat(cluster.policy("/kept/a")).isNull();
    assertSameAttributes(before, acl, file);
    assertThat(fs.getFileStatus(file).getReplication()).isEqualTo((short) 2);
    assertThat(fs.getXAttrs(file)).containsOnlyKeys("user.colour");
    assertThat(cluster.read("/kept/a")).isEqualTo(bytes);
    cluster.assertHealthy("/kept/a");
  }

  private static void assertSameAttributes(FileStatus before, Object acl, Path file)
      throws IOException {
    FileStatus after = cluster.fs().getFileStatus(file);
    assertThat(after.getOwner()).isEqualTo(before.getOwner());
    assertThat(after.getGroup()).isEqualTo(before.getGroup());
    assertThat(after.getPermission()).isEqualTo(before.getPermission());
    assertThat(after.getModificationTime()).isEqualTo(before.getModificationTime());
    assertThat(after.getAccessTime()).isEqualTo(before.getAccessTime());
    assertThat(cluster.fs().getAclStatus(file)).isEqualTo(acl);
  }

  @Test
  void leavesFilesAndReportsTheReasons() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    cluster.write("/left/big", 2 * BLOCK);
    cluster.write("/left/small", 1000);
    cluster.write("/left/empty", 0);
    try (FSDataOutputStream lazy = fs.createFile(new Path("/left/lazy")).lazyPersist().build()) {
      lazy.write(new byte[2 * BLOCK]);
    }
    cluster.write("/left/s/kept", 2 * BLOCK);
    fs.allowSnapshot(new Path("/left/s"));
    fs.createSnapshot(new Path("/left/s"), "one");
    cluster.write("/left/s/later", 2 * BLOCK);
    FSDataOutputStream open = fs.create(new Path("/left/open"));
    open.write(new byte[BLOCK]);
    open.hflush();
    Map<String, SkipReason> skipped = new HashMap<>();
    JobObserver observer =
        new JobObserver() {
          @Override
          public void planned(Candidate file, FileDecision decision) {
            skipped.put(file.path(), decision.skip());
          }
        };

    Totals totals;
    try (Driver driver = cluster.driver(cluster.client(), observer, StepListener.NONE)) {
      totals = driver.plan(ConvertCluster.striped("/left", CODE));
    } finally {
      open.close();
    }

    Map<String, SkipReason> expected = new HashMap<>();
    expected.put("/left/big", null);
    expected.put("/left/s/later", null);
    expected.put("/left/small", SkipReason.TOO_SMALL);
    expected.put("/left/empty", SkipReason.EMPTY);
    expected.put("/left/lazy", SkipReason.LAZY_PERSIST);
    expected.put("/left/s/kept", SkipReason.SNAPSHOTTED);
    expected.put("/left/open", SkipReason.OPEN);
    assertThat(skipped).isEqualTo(expected);
    assertThat(totals.files).isEqualTo(2);
    assertThat(totals.bytes).isEqualTo(4 * BLOCK);
    assertThat(totals.diskBytesNow).isEqualTo(12 * BLOCK);
    // 11 stripes of 192 KiB, the last with 2 cells, so each file has 2 parity blocks of 11 cells.
    assertThat(totals.diskBytesAfter).isEqualTo(2 * (2 * BLOCK + 2 * 11 * (64 << 10)));
    assertThat(totals.skipped.get(SkipReason.SNAPSHOTTED).diskBytes).isEqualTo(6 * BLOCK);
    assertThat(cluster.policy("/left/big")).isNull();
  }

  @Test
  void followsRules() throws Exception {
    cluster.write("/rules/a.parquet", 2 * BLOCK);
    cluster.write("/rules/b.parquet", 3 * BLOCK);
    cluster.write("/rules/c.txt", 3 * BLOCK);
    cluster.write("/rules/young.parquet", 3 * BLOCK);
    cluster.write("/rules/alices.parquet", 3 * BLOCK);
    cluster.fs().setOwner(new Path("/rules/alices.parquet"), "alice", null);
    for (String name : new String[] {"a.parquet", "b.parquet", "c.txt", "alices.parquet"}) {
      cluster.fs().setTimes(new Path("/rules/" + name), 1_000_000, -1);
    }
    JobSettings settings = ConvertCluster.striped("/rules", CODE);
    settings.rules.glob = "*.parquet";
    settings.rules.bytesMin = 3 * BLOCK;
    settings.rules.ageMsMin = 3_600_000;
    settings.rules.owner = cluster.fs().getFileStatus(new Path("/rules/a.parquet")).getOwner();

    try (Driver driver = cluster.driver()) {
      Totals totals = driver.plan(settings);
      assertThat(totals.files).isEqualTo(1);
      assertThat(totals.skipped.get(SkipReason.RULE).files).isEqualTo(4);
    }
  }

  @Test
  void leavesFilesThatChangeDuringTheConversion() throws Exception {
    byte[] deleted = cluster.write("/changing/deleted", 2 * BLOCK);
    byte[] moved = cluster.write("/changing/moved", 2 * BLOCK);
    cluster.write("/changing/stolen", 2 * BLOCK);
    byte[] other = cluster.write("/changing/unharmed", 2 * BLOCK);
    assertThat(deleted).isNotEmpty();
    StepListener meddler =
        (step, path) -> {
          if (step == Step.ATTRIBUTED) {
            meddle(path);
          }
        };

    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, meddler)) {
      report = driver.execute(ConvertCluster.striped("/changing", CODE), "changing");
    }

    assertThat(report.failures())
        .extracting(failure -> failure.path)
        .containsExactlyInAnyOrder("/changing/deleted", "/changing/stolen");
    assertThat(cluster.fs().exists(new Path("/changing/deleted"))).isFalse();
    assertThat(cluster.read("/elsewhere")).isEqualTo(moved);
    assertThat(cluster.policy("/elsewhere")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/changing/unharmed")).isEqualTo(other);
    assertThat(cluster.policy("/changing/unharmed")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.policy("/changing/stolen")).isNull();
    assertThat(cluster.fs().getFileStatus(new Path("/changing/stolen")).getLen())
        .isEqualTo(2 * BLOCK + 5);
    assertThat(cluster.temporaries()).isEmpty();
  }

  private static void meddle(String path) {
    Path file = new Path(path);
    try {
      DistributedFileSystem fs = cluster.fs();
      switch (file.getName()) {
        case "deleted":
          fs.delete(file, false);
          break;
        case "moved":
          fs.rename(file, new Path("/elsewhere"));
          break;
        case "stolen":
          // A user can recover the lease in order to append; the file is not converted then.
          Conditions.await("lease", () -> fs.recoverLease(file));
          try (FSDataOutputStream out = fs.append(file)) {
            out.write(new byte[5]);
          }
          break;
        default:
          break;
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void appendsAreRefusedDuringTheSwapAndQuotasHold() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/full/a", 2 * BLOCK);
    fs.setQuota(new Path("/full"), 2, 6L * BLOCK);
    StepListener appender =
        (step, path) -> {
          if (step == Step.FENCED) {
            assertThatThrownBy(() -> fs.append(new Path(path)))
                .hasMessageContaining("lease is currently owned");
          }
        };
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, appender)) {
      assertThat(driver.execute(ConvertCluster.striped("/full", CODE), "full").failures())
          .isEmpty();
    }
    assertThat(cluster.read("/full/a")).isEqualTo(bytes);
    assertThat(fs.getContentSummary(new Path("/full")).getSpaceConsumed())
        .isEqualTo(2 * BLOCK + 2 * 11 * (64 << 10));
  }

  /** The NameNode refuses the lock of the first one, for which the swap needs it. */
  @Test
  void filesThatAQuotaKeepsFromBeingLockedAreNotCopied() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    for (String name : new String[] {"a", "b", "little", "z"}) {
      cluster.write("/short/" + name, name.equals("little") ? 3 * BLOCK - 1 : 2 * BLOCK + 1);
    }
    // A short last block would count as a whole one; there is room for one byte of three replicas.
    long used = fs.getContentSummary(new Path("/short")).getSpaceConsumed();
    fs.setQuota(new Path("/short"), HdfsConstants.QUOTA_DONT_SET, used + 3);
    List<String> made = new ArrayList<>();
    StepListener listener =
        (step, path) -> {
          if (step == Step.MADE) {
            made.add(path);
          }
        };
    JobSettings settings = ConvertCluster.striped("/short", CODE);
    settings.filesAtOnce = 1;
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      report = driver.execute(settings, "short");
    }

    assertThat(made).containsExactly("/short/a", "/short/little", "/short/z");
    assertThat(report.failures())
        .extracting(failure -> failure.path)
        .containsExactly("/short/a", "/short/b");
    assertThat(report.failures().get(1).reason)
        .startsWith("it could not be locked for its swap: ")
        .contains("quota of /short is exceeded");
    assertThat(cluster.policy("/short/z")).isNotNull();
  }

  @Test
  void convertsToAnotherPolicyAndKeepsTheReplication() throws Exception {
    byte[] bytes = cluster.write("/anew/a", 3 * BLOCK);
    convert("/anew", "anew");
    try (Driver driver = cluster.driver()) {
      JobSettings settings = ConvertCluster.striped("/anew", "XOR-2-1");
      assertThat(driver.execute(settings, "anew-xor").failures()).isEmpty();
    }
    assertThat(cluster.policy("/anew/a")).isEqualTo("XOR-2-1-64k");
    assertThat(cluster.read("/anew/a")).isEqualTo(bytes);
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(ConvertCluster.undo("/anew"), "anew-undo").failures()).isEmpty();
    }
    assertThat(cluster.fs().getFileStatus(new Path("/anew/a")).getReplication())
        .isEqualTo((short) 3);
    assertThat(cluster.read("/anew/a")).isEqualTo(bytes);
  }

  @Test
  void staysConvertedOverRestartsOfTheNameNode() throws Exception {
    byte[] bytes = cluster.write("/restart/a", 2 * BLOCK + 77);
    convert("/restart/a", "restart");
    cluster.mini.restartNameNode();
    assertThat(cluster.read("/restart/a")).isEqualTo(bytes);
    cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    cluster.fs().saveNamespace();
    cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    cluster.mini.restartNameNode();
    assertThat(cluster.read("/restart/a")).isEqualTo(bytes);
    assertThat(cluster.policy("/restart/a")).isEqualTo("RS-3-2-64k");
    cluster.assertHealthy("/restart/a");
  }

  @Test
  void leavesAFileWhoseNewParityIsDamaged() throws Exception {
    assertLeftAfter("/flipped", "ChecksumException", ReplicaDamage::flip);
  }

  @Test
  void leavesAFileWhoseNewParityIsWrong() throws Exception {
    assertLeftAfter("/foreign", "does not match its data", ReplicaDamage::rewrite);
  }

  private interface Damage {
    void to(ConvertCluster cluster, LocatedBlock parity, DatanodeInfo node) throws IOException;
  }

  private static void assertLeftAfter(String root, String reason, Damage damage) throws Exception {
    byte[] bytes = cluster.write(root + "/a", 3 * BLOCK + 12345);
    StepListener listener =
        (step, path) -> {
          if (step == Step.MADE) {
            damageParity(damage);
          }
        };
    JobReport report;
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      report = driver.execute(ConvertCluster.striped(root, CODE), root.substring(1));
    }

    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).reason).contains(reason);
    assertThat(cluster.policy(root + "/a")).isNull();
    cluster.assertBytes(root + "/a", bytes);
    assertThat(cluster.temporaries()).isEmpty();
    assertThat(convert(root, root.substring(1) + "-again").failures()).isEmpty();
    assertThat(cluster.policy(root + "/a")).isEqualTo("RS-3-2-64k");
    cluster.assertBytes(root + "/a", bytes);
  }

  /** Damages the first parity block of the last group of the only temporary file. */
  private static void damageParity(Damage damage) {
    try {
      String path = cluster.temporaries().get(0);
      ErasureCodingPolicy policy = cluster.fs().getErasureCodingPolicy(new Path(path));
      Redundancy.await(cluster.fs().getClient(), path, policy, 0, Ticker.SYSTEM);
      List<LocatedBlock> groups = cluster.blocks(path);
      LocatedStripedBlock last = (LocatedStripedBlock) groups.get(groups.size() - 1);
      LocatedBlock[] units =
          StripedBlockUtil.parseStripedBlockGroup(last, policy.getCellSize(), 3, 2);
      damage.to(cluster, units[3], units[3].getLocations()[0]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
