// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.Crash;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.JobTuning;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/**
 * Tests that erasure-coded files become replicated again: with their original attributes, only if
 * there is space, and only after the replicas were read back.
 */
@Tag("full")
class UndoTest {
  private static final String CODE = "RS-3-2";
  private static final int BLOCK = ConvertCluster.BLOCK;
  private static final long NO_QUOTA = Long.MAX_VALUE;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = ConvertCluster.withArchive(directory, 6, 3, conf -> {});
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static void convert(String path, String storagePolicy) throws IOException {
    JobSettings settings = ConvertCluster.striped(path, CODE);
    settings.storagePolicy = storagePolicy;
    try (Driver driver = cluster.driver()) {
      JobReport report = driver.execute(settings, path.substring(1) + "-" + storagePolicy);
      assertThat(report.failures()).isEmpty();
    }
  }

  private static JobReport undo(String path, String job, StepListener listener) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.execute(ConvertCluster.undo(path), job);
    }
  }

  private static void assertLeft(JobReport report, String path, String... reasons)
      throws IOException {
    assertThat(report.failures()).hasSize(1);
    assertThat(report.failures().get(0).toString()).contains(path).contains(reasons);
    assertThat(cluster.policy(path)).isEqualTo("RS-3-2-64k");
    assertThat(cluster.temporaries()).isEmpty();
  }

  @Test
  void leavesFilesThatHadMoreReplicasThanDataNodes() throws Exception {
    byte[] bytes = cluster.write("/many/a", 3 * BLOCK);
    cluster.fs().setReplication(new Path("/many/a"), (short) 7);
    convert("/many", null);

    try (Driver driver = cluster.driver()) {
      Totals totals = driver.plan(ConvertCluster.undo("/many"));
      assertThat(totals.skipped.get(SkipReason.REPLICATION).files).isEqualTo(1);
    }
    assertLeft(
        undo("/many", "many", (step, path) -> assertThat(step).isNull()),
        "/many/a",
        "add DataNodes",
        "--max-replication");

    JobSettings fewer = ConvertCluster.undo("/many");
    fewer.replicationMax = 4;
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(fewer, "many-fewer").isComplete()).isTrue();
    }
    assertThat(cluster.fs().getFileStatus(new Path("/many/a")).getReplication())
        .isEqualTo((short) 4);
    assertThat(cluster.read("/many/a")).isEqualTo(bytes);
  }

  /** Only its record in the journal has the permission that it had before the swap. */
  @Test
  void aFileThatCouldNotBeRecoveredStaysInTheJournalWhileItCannotBeUndone() throws Exception {
    Path file = new Path("/swapping/a");
    cluster.write("/swapping/a", 3 * BLOCK);
    int nodes = cluster.mini.getDataNodes().size();
    cluster.fs().setReplication(file, (short) nodes);
    convert("/swapping", null);
    FsPermission before = cluster.fs().getFileStatus(file).getPermission();
    DistributedFileSystem client = cluster.client();
    Crash crash = new Crash(client, Step.FENCE_ENDED, 1);
    try (Driver driver = cluster.driver(client, JobObserver.NONE, crash)) {
      assertThatThrownBy(() -> driver.execute(ConvertCluster.undo("/swapping"), "swapping"))
          .isInstanceOf(Crash.Death.class);
    }
    assertThat(cluster.fs().getFileStatus(file).getPermission()).isNotEqualTo(before);
    // So that the next driver need not wait a minute for the leases of the dead one.
    cluster.mini.setLeasePeriod(500, 3_600_000);
    DatanodeID lost = cluster.mini.getDataNodes().get(0).getDatanodeId();
    MiniDFSCluster.DataNodeProperties stopped = cluster.mini.stopDataNode(0);
    try {
      cluster.mini.setDataNodeDead(lost);
      StepListener failing =
          (step, path) -> {
            if (step == Step.BACK_NAMED) {
              throw new IllegalStateException("no answer");
            }
          };
      JobReport report = resume("/swapping", failing);
      assertThat(report.failures()).hasSize(1);
      assertThat(report.failures().get(0).reason).contains("no answer", "--resume");

      assertThat(resume("/swapping", StepListener.NONE).rolledBack()).isEqualTo(1);

      assertThat(cluster.fs().getFileStatus(file).getPermission()).isEqualTo(before);
    } finally {
      cluster.mini.setLeasePeriod(60_000, 3_600_000);
      cluster.mini.restartDataNode(stopped, true);
      cluster.mini.waitActive();
    }
  }

  private static JobReport resume(String path, StepListener listener) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      return driver.resume(path, null, new JobTuning());
    }
  }

  @Test
  void restoresStoragePolicies() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    for (String name : new String[] {"none", "warm", "changed"}) {
      cluster.write("/policy/" + name, 3 * BLOCK);
    }
    fs.setStoragePolicy(new Path("/policy/warm"), "WARM");
    convert("/policy", "COLD");
    // A second job with another storage policy keeps the record of the original one.
    JobSettings again = ConvertCluster.striped("/policy/warm", "XOR-2-1");
    again.storagePolicy = "HOT";
    try (Driver driver = cluster.driver()) {
      assertThat(driver.execute(again, "policy-again").isComplete()).isTrue();
    }
    assertThat(fs.getStoragePolicy(new Path("/policy/none")).getName()).isEqualTo("COLD");
    fs.setStoragePolicy(new Path("/policy/changed"), "ALL_SSD");

    assertThat(undo("/policy", "policy", StepListener.NONE).isComplete()).isTrue();

    assertThat(fs.getStoragePolicy(new Path("/policy/warm")).getName()).isEqualTo("WARM");
    assertThat(fs.getStoragePolicy(new Path("/policy/changed")).getName()).isEqualTo("ALL_SSD");
    assertThat(fs.getXAttrs(new Path("/policy/warm"))).isEmpty();
    // It has no policy of its own any more, and inherits that of its directory.
    fs.setStoragePolicy(new Path("/policy"), "ONE_SSD");
    assertThat(fs.getStoragePolicy(new Path("/policy/none")).getName()).isEqualTo("ONE_SSD");
  }

  @Test
  void leavesFilesWithoutQuotaBeforeTheyAreCopied() throws Exception {
    byte[] bytes = cluster.write("/quota/below/a", 3 * BLOCK);
    convert("/quota", null);
    cluster.fs().setQuota(new Path("/quota"), NO_QUOTA, 9L * BLOCK - 1);

    assertLeft(
        undo("/quota", "quota", (step, path) -> assertThat(step).isNull()),
        "/quota/below/a",
        "4.00 MiB more below /quota",
        "-setSpaceQuota");

    cluster.fs().setQuota(new Path("/quota"), NO_QUOTA, 9L * BLOCK);
    assertThat(undo("/quota", "quota-again", StepListener.NONE).isComplete()).isTrue();
    assertThat(cluster.read("/quota/below/a")).isEqualTo(bytes);
  }

  @Test
  void concurrentFilesWaitForReservedRoom() throws Exception {
    int files = 6;
    for (int i = 0; i < files; i++) {
      cluster.write("/tight/" + i, 3 * BLOCK);
    }
    convert("/tight", null);
    // The space that all files take in the end.
    cluster.fs().setQuota(new Path("/tight"), NO_QUOTA, 9L * BLOCK * files);
    assertThat(undo("/tight", "tight", StepListener.NONE).converted()).isEqualTo(files);

    for (int i = 0; i < files; i++) {
      cluster.write("/tighter/" + i, 3 * BLOCK);
    }
    convert("/tighter", null);
    // Enough for all files except the last.
    cluster.fs().setQuota(new Path("/tighter"), NO_QUOTA, 9L * BLOCK * files - 1);
    AtomicInteger copied = new AtomicInteger();
    JobReport report =
        undo(
            "/tighter",
            "tighter",
            (step, path) -> {
              if (step == Step.MADE) {
                copied.incrementAndGet();
              }
            });
    assertThat(report.converted()).isEqualTo(files - 1);
    assertThat(report.failed()).isEqualTo(1);
    assertThat(copied).hasValue(files - 1);
  }

  @Test
  void leavesFilesForWhichDisksHaveNoRoom() throws Exception {
    cluster.write("/disks/a", 3 * BLOCK);
    convert("/disks", null);
    DistributedFileSystem fs = cluster.fs();
    // DataNodes may still delete replicas of the conversion, up to three blocks on the volume.
    leaveRoom(5L * BLOCK);
    try {
      Conditions.await("heartbeats", () -> fs.getStatus().getRemaining() <= 8 * BLOCK);
      assertLeft(
          undo("/disks", "disks", (step, path) -> assertThat(step).isNull()),
          "/disks/a",
          "its replicas need 9.00 MiB, and DataNodes have");
    } finally {
      setCapacity(volume -> -1);
      Conditions.await("heartbeats", () -> fs.getStatus().getRemaining() > 100L * BLOCK);
    }
  }

  /** Leaves space on one volume, enough for the files of the job itself. */
  private static void leaveRoom(long bytes) throws IOException {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    setCapacity(
        volume ->
            volume.getStorageType() == StorageType.DISK && isFirst.getAndSet(false)
                ? volume.getDfsUsed() + bytes
                : 1);
  }

  private interface Capacity {
    long of(FsVolumeImpl volume) throws IOException;
  }

  /** Sets the capacity of each volume; -1 for the real one. The next heartbeat reports it. */
  private static void setCapacity(Capacity capacity) throws IOException {
    for (DataNode node : cluster.mini.getDataNodes()) {
      try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
        for (FsVolumeSpi volume : volumes) {
          ((FsVolumeImpl) volume).setCapacityForTesting(capacity.of((FsVolumeImpl) volume));
        }
      }
    }
  }

  private interface Damage {
    void to(ConvertCluster cluster, LocatedBlock block, DatanodeInfo node) throws IOException;
  }

  @Test
  void leavesAFileWithADamagedReplica() throws Exception {
    assertLeftAfter("/flipped", "ChecksumException", ReplicaDamage::flip);
  }

  @Test
  void leavesAFileWithAReplicaOfOtherBytes() throws Exception {
    // Hadoop's checksum of the file detects it as well, if it comes from that DataNode.
    assertLeftAfter("/foreign", "CRC", ReplicaDamage::rewrite);
  }

  private static void assertLeftAfter(String root, String reason, Damage damage) throws Exception {
    byte[] bytes = cluster.write(root + "/a", 2 * BLOCK + 12345);
    convert(root, null);
    StepListener listener =
        (step, path) -> {
          if (step == Step.MADE) {
            damageLast(damage);
          }
        };

    assertLeft(undo(root, root.substring(1), listener), root + "/a", reason);

    assertThat(cluster.read(root + "/a")).isEqualTo(bytes);
    JobReport again = undo(root, root.substring(1) + "-again", StepListener.NONE);
    assertThat(again.failures()).isEmpty();
    assertThat(cluster.policy(root + "/a")).isNull();
    assertThat(cluster.read(root + "/a")).isEqualTo(bytes);
  }

  /** Damages one replica of the last block of the only temporary file. */
  private static void damageLast(Damage damage) {
    try {
      String path = cluster.temporaries().get(0);
      Redundancy.await(cluster.fs().getClient(), path, null, 3, Ticker.SYSTEM);
      LocatedBlock last = cluster.blocks(path).get(2);
      damage.to(cluster, last, last.getLocations()[2]);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
