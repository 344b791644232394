// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.StripelineFileSystem;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.SyncSwitch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.testkit.Conditions;

/** Tests that all DataNodes lose power at once right after a successful conversion. */
@Tag("full")
class PowerLossTest {
  private static final String CODE = "RS-2-1";
  private static final int NODES = 3;
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir Path directory;
  private final List<LoopDisk> disks = new ArrayList<>();
  private ConvertCluster cluster;

  @BeforeEach
  void start() throws Exception {
    String missing = LoopDisk.missing(directory);
    assumeTrue(missing == null, () -> "no disks whose power can be cut: " + missing);
    List<Path> data = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      disks.add(LoopDisk.make(directory, "disk" + i));
      data.add(disks.get(i).data());
    }
    cluster =
        ConvertCluster.onDirectories(
            directory.resolve("dfs"),
            data,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setInt("dfs.client.retry.window.base", 10);
              conf.setInt("dfs.datanode.scan.period.hours", -1);
            });
    // A driver's journal is synced line by line, and each sync makes ext4 write its whole journal.
    // The job directory must therefore not be on these disks, since it would sync other files
    // there.
    org.apache.hadoop.fs.Path jobs = new org.apache.hadoop.fs.Path(JobDirectory.ROOT_DEFAULT);
    cluster.fs().mkdirs(jobs, new FsPermission((short) 0700));
    cluster.fs().setStoragePolicy(jobs, "COLD");
  }

  @AfterEach
  void stop() throws Exception {
    SyncSwitch.set(true);
    if (cluster != null) {
      cluster.close();
    }
    for (LoopDisk disk : disks) {
      disk.close();
    }
  }

  private void convert(JobSettings settings, String job) throws IOException {
    settings.allowRackLoss = true;
    try (Driver driver = cluster.driver()) {
      JobReport report = driver.execute(settings, job);
      assertThat(report.failures()).isEmpty();
      assertThat(report.converted()).isEqualTo(1);
    }
  }

  private void sync() throws Exception {
    for (LoopDisk disk : disks) {
      disk.sync();
    }
  }

  /**
   * Cuts the power of the DataNodes. The NameNode keeps running, so what it has recorded did
   * happen.
   */
  private void losePower() throws Exception {
    List<Path> left = new ArrayList<>();
    for (LoopDisk disk : disks) {
      left.add(disk.snapshot());
    }
    List<DataNodeProperties> stopped = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      stopped.add(cluster.mini.stopDataNode(0));
    }
    for (int i = 0; i < NODES; i++) {
      disks.get(i).restore(left.get(i));
    }
    for (DataNodeProperties node : stopped) {
      assertThat(cluster.mini.restartDataNode(node, true)).isTrue();
    }
    cluster.mini.waitActive();
    cluster.reportAll();
  }

  private long replicas() throws IOException {
    String pool = cluster.mini.getNameNode().getNamesystem().getBlockPoolId();
    long count = 0;
    for (DataNode node : cluster.mini.getDataNodes()) {
      for (ReplicaInfo replica : DataNodeTestUtils.getFSDataset(node).getFinalizedBlocks(pool)) {
        count += replica.getBlockId() > 0 ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void adoptedBlocksAndParityAreOnTheirDisks() throws Exception {
    byte[] bytes = cluster.write("/adopted/a", 2 * BLOCK);
    sync();
    convert(ConvertCluster.contiguous("/adopted/a", CODE), "adopted");

    losePower();

    Conditions.await("internal blocks", () -> cluster.isWhole("/adopted/a"));
    // The only remaining replicas are those of the job's own files.
    cluster.fs().delete(new org.apache.hadoop.fs.Path(JobDirectory.ROOT_DEFAULT), true);
    Conditions.await("the replicas to be gone", () -> replicas() == 0);
    cluster.assertBytes("/adopted/a", bytes);
    cluster.assertParityRight("/adopted/a");
    cluster.assertHealthy("/adopted/a");
  }

  /** Shows that the test above can fail. */
  @Test
  void whatIsNotSyncedIsLost() throws Exception {
    cluster.write("/adopted/a", 2 * BLOCK);
    sync();
    SyncSwitch.set(false);
    convert(ConvertCluster.contiguous("/adopted/a", CODE), "unsynced");

    losePower();

    assertThatThrownBy(() -> cluster.read("/adopted/a")).isInstanceOf(IOException.class);
  }

  @Test
  void copiesOfStockStreamsAreOnTheirDisks() throws Exception {
    copiesAreOnTheirDisks();
  }

  @Test
  void copiesOfOurStreamsAreOnTheirDisks() throws Exception {
    cluster.conf().set("fs.hdfs.impl", StripelineFileSystem.class.getName());
    copiesAreOnTheirDisks();
  }

  private void copiesAreOnTheirDisks() throws Exception {
    byte[] bytes = cluster.write("/copied/a", 5 * BLOCK + 77);
    sync();
    convert(ConvertCluster.striped("/copied/a", CODE), "copied");
    losePower();
    Conditions.await("internal blocks", () -> cluster.isWhole("/copied/a"));
    cluster.assertBytes("/copied/a", bytes);
    cluster.assertParityRight("/copied/a");

    convert(ConvertCluster.undo("/copied/a"), "undone");
    losePower();
    assertThat(cluster.policy("/copied/a")).isNull();
    Conditions.await(
        "replicas",
        () ->
            cluster.blocks("/copied/a").stream()
                .allMatch(block -> block.getLocations().length == 3));
    cluster.assertBytes("/copied/a", bytes);
  }
}
