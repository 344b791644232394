// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.convert.Driver;
import org.stripeline.convert.fixture.AgentCounts;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.convert.job.JobDirectory;
import org.stripeline.convert.job.Journal;
import org.stripeline.convert.job.JournalRecord;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;
import org.stripeline.convert.report.JobObserver;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.report.Totals;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.server.datanode.AgentCount;

/**
 * Tests adoption while the cluster changes or with less common settings, such as encryption zones,
 * snapshots and full disks.
 */
@Tag("full")
class AdoptionFailureTest {
  private static final String CODE = "RS-3-2";
  private static final String POLICY = "RS-3-2-1024k";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir java.nio.file.Path directory;
  private ConvertCluster cluster;

  private final Set<String> restarts = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void start() throws IOException {
    cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            7,
            3,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              EncryptionZones.configure(conf, directory);
              conf.setBoolean("dfs.block.access.token.enable", true);
            });
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private JobReport convert(String path, StepListener listener) throws IOException {
    try (Driver driver = cluster.driver(cluster.client(), JobObserver.NONE, listener)) {
      JobSettings settings = ConvertCluster.contiguous(path, CODE);
      settings.allowRackLoss = true;
      settings.filesAtOnce = 1;
      return driver.execute(settings, path.substring(1).replace('/', '-'));
    }
  }

  @Test
  void leavesTheFileWhenADataNodeDiesAndConvertsItLater() throws Exception {
    byte[] first = cluster.write("/dying/a", 3 * BLOCK);
    byte[] second = cluster.write("/dying/b", 3 * BLOCK);
    AtomicReference<DataNodeProperties> stopped = new AtomicReference<>();
    AtomicReference<DatanodeInfo> victim = new AtomicReference<>();
    StepListener killer =
        (step, path) -> {
          if (step == Step.GROUP_NAMED && stopped.get() == null) {
            stopped.set(stopHolder(path, victim));
          }
        };

    JobReport report = convert("/dying", killer);

    for (JobReport.Failure failure : report.failures()) {
      assertThat(cluster.policy(failure.path)).as(failure.toString()).isNull();
    }
    assertThat(report.failed() + report.converted()).isEqualTo(2);
    assertThat(cluster.read("/dying/a")).isEqualTo(first);
    assertThat(cluster.read("/dying/b")).isEqualTo(second);
    assertThat(cluster.temporaries()).isEmpty();

    cluster.mini.restartDataNode(stopped.get(), true);
    cluster.mini.waitActive();
    try (Driver driver = cluster.driver()) {
      JobSettings settings = ConvertCluster.contiguous("/dying", CODE);
      settings.allowRackLoss = true;
      assertThat(driver.execute(settings, "later").failures()).isEmpty();
    }
    for (String path : List.of("/dying/a", "/dying/b")) {
      assertThat(cluster.policy(path)).isEqualTo(POLICY);
      cluster.assertHealthy(path);
      cluster.assertParityRight(path);
    }
    assertThat(cluster.read("/dying/a")).isEqualTo(first);
  }

  /** Stops the DataNode that holds a replica of the file's first block. */
  private DataNodeProperties stopHolder(String path, AtomicReference<DatanodeInfo> victim) {
    try {
      victim.set(cluster.blocks(path).get(0).getLocations()[0]);
      return cluster.mini.stopDataNode(victim.get().getXferAddr());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void continuesWhenTheNameNodeRestarts() throws Exception {
    byte[] first = cluster.write("/restarted/a", 4 * BLOCK);
    byte[] second = cluster.write("/restarted/b", 4 * BLOCK);
    StepListener restarter =
        (step, path) -> {
          boolean now = path.endsWith("a") ? step == Step.ENCODED : step == Step.SWAP_NAMED;
          if (now && restarts.add(path)) {
            restartNameNode();
          }
        };

    JobReport report = convert("/restarted", restarter);

    assertThat(restarts).hasSize(2);
    assertThat(cluster.read("/restarted/a")).isEqualTo(first);
    assertThat(cluster.read("/restarted/b")).isEqualTo(second);
    assertThat(report.failures()).isEmpty();
    assertThat(cluster.policy("/restarted/a")).isEqualTo(POLICY);
    assertThat(cluster.policy("/restarted/b")).isEqualTo(POLICY);
    // A NameNode that starts reconstructs blocks that its DataNodes have not reported yet.
    cluster.awaitWhole("/restarted/a");
    cluster.awaitWhole("/restarted/b");
    cluster.assertHealthy("/restarted/a");
    cluster.assertParityRight("/restarted/b");
  }

  private void restartNameNode() {
    try {
      cluster.mini.restartNameNode(true);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void convertsWithinAnEncryptionZone() throws Exception {
    EncryptionZones.make(cluster, "/zone");
    DistributedFileSystem fs = cluster.fs();
    fs.mkdirs(new Path("/zone/deep"));
    byte[] bytes = cluster.write("/zone/deep/a", 4 * BLOCK + 5);
    byte[] copied = cluster.write("/zone/b", 4 * BLOCK + 5);

    assertThat(convert("/zone/deep", StepListener.NONE).failures()).isEmpty();
    try (Driver driver = cluster.driver()) {
      JobSettings settings = ConvertCluster.striped("/zone/b", CODE);
      settings.allowRackLoss = true;
      assertThat(driver.execute(settings, "zone-b").failures()).isEmpty();
    }

    assertThat(cluster.policy("/zone/deep/a")).isEqualTo(POLICY);
    assertThat(cluster.read("/zone/deep/a")).isEqualTo(bytes);
    assertThat(cluster.policy("/zone/b")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.read("/zone/b")).isEqualTo(copied);
    assertThat(cluster.fs().getFileEncryptionInfo(new Path("/zone/b"))).isNotNull();
    assertThat(cluster.fs().listStatus(new Path("/zone"))).hasSize(2);
    cluster.assertParityRight("/zone/deep/a");
  }

  @Test
  void snapshotsKeepTheReplicas() throws Exception {
    DistributedFileSystem fs = cluster.fs();
    byte[] bytes = cluster.write("/snap/a", 4 * BLOCK);
    fs.allowSnapshot(new Path("/snap"));
    fs.createSnapshot(new Path("/snap"), "one");
    try (Driver driver = cluster.driver()) {
      JobSettings settings = ConvertCluster.contiguous("/snap", CODE);
      settings.allowRackLoss = true;
      Totals totals = driver.plan(settings);
      assertThat(totals.skipped.get(SkipReason.SNAPSHOTTED).diskBytes).isEqualTo(12 * BLOCK);
      settings.rules.includeSnapshotted = true;
      assertThat(driver.execute(settings, "snap").failures()).isEmpty();
    }
    assertThat(cluster.policy("/snap/a")).isEqualTo(POLICY);
    assertThat(cluster.read("/snap/a")).isEqualTo(bytes);
    assertThat(cluster.read("/snap/.snapshot/one/a")).isEqualTo(bytes);
    assertThat(cluster.policy("/snap/.snapshot/one/a")).isNull();
    List<Integer> replicas =
        cluster.blocks("/snap/.snapshot/one/a").stream()
            .map(block -> block.getLocations().length)
            .collect(Collectors.toList());
    assertThat(replicas).containsOnly(3);
  }

  @Test
  void writesNothingWhereThereIsNoRoom() throws Exception {
    Map<String, byte[]> files = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      String path = "/crowded/" + i;
      files.put(path, cluster.write(path, 3 * BLOCK));
    }
    DatanodeInfo[] all = cluster.fs().getDataNodeStats(DatanodeReportType.LIVE);
    List<DatanodeInfo> full = List.of(all[0], all[1]);
    fill(full);
    Map<AgentCount, Long> before = AgentCounts.now();

    assertThat(convert("/crowded", StepListener.NONE).failures()).isEmpty();

    Map<AgentCount, Long> after = AgentCounts.now();
    assertThat(after.get(AgentCount.TASKS_DONE)).isEqualTo(before.get(AgentCount.TASKS_DONE) + 8);
    assertThat(after.get(AgentCount.TASKS_FAILED)).isEqualTo(before.get(AgentCount.TASKS_FAILED));
    int kept = 0;
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      assertThat(cluster.read(file.getKey())).isEqualTo(file.getValue());
      for (LocatedBlock group : cluster.blocks(file.getKey())) {
        kept += (int) Arrays.stream(group.getLocations()).filter(full::contains).count();
      }
    }
    assertThat(kept).as("internal blocks linked where nothing can be written").isPositive();

    byte[] bytes = cluster.write("/late/a", 3 * BLOCK);
    fill(Arrays.asList(all).subList(0, 6));

    List<JobReport.Failure> failures = convert("/late", StepListener.NONE).failures();

    assertThat(failures).hasSize(1);
    assertThat(failures.get(0).reason).contains("only if 3 DataNodes have room", "1 of 7 have");
    assertThat(cluster.policy("/late/a")).isNull();
    assertThat(cluster.read("/late/a")).isEqualTo(bytes);
    assertThat(cluster.temporaries()).isEmpty();
  }

  private void fill(List<DatanodeInfo> nodes) throws Exception {
    for (DatanodeInfo node : nodes) {
      cluster.setDiskCapacity(node, 1);
    }
    cluster.mini.triggerHeartbeats();
  }

  @Test
  void sendsABlockWhoseReplicaWasDeleted() throws Exception {
    byte[] bytes = cluster.write("/gone/a", 3 * BLOCK);
    StepListener mover =
        (step, path) -> {
          if (step == Step.GROUP_NAMED) {
            dropPlannedReplica(path);
          }
        };

    JobReport report = convert("/gone", mover);

    assertThat(report.failures()).isEmpty();
    assertThat(report.traffic().blocksSent()).isPositive();
    assertThat(cluster.policy("/gone/a")).isEqualTo(POLICY);
    assertThat(cluster.read("/gone/a")).isEqualTo(bytes);
    cluster.assertParityRight("/gone/a");
  }

  /** Deletes the replica of the first block that the plan keeps. */
  private void dropPlannedReplica(String path) {
    try {
      List<JournalRecord> groups = new ArrayList<>();
      Journal.read(
          cluster.fs(),
          new Path(JobDirectory.ROOT_DEFAULT + "/gone/journal"),
          line -> {
            if (line.kind == JournalRecord.Kind.GROUP) {
              groups.add(line);
            }
          });
      String holder = groups.get(0).blocks.get(0).node;
      ExtendedBlock block = cluster.blocks(path).get(0).getBlock();
      for (DataNode node : cluster.mini.getDataNodes()) {
        if (node.getDatanodeUuid().equals(holder)) {
          node.getFSDataset()
              .invalidate(block.getBlockPoolId(), new Block[] {block.getLocalBlock()});
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
