// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.balancer.BalancerCommand;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ScanOrder;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.cli.Stripeline;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.EncryptionZones;
import org.stripeline.convert.report.JobReport;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.testkit.CommandRun;
import org.stripeline.testkit.Conditions;

/**
 * Tests what HDFS does with adopted files, on a cluster with block tokens and encrypted transfer,
 * and quotas during adoption.
 */
@Tag("full")
class AfterConversionTest {
  private static final String CODE = "RS-3-2";
  private static final String POLICY = "RS-3-2-1024k";
  private static final int BLOCK = ConvertCluster.BLOCK;

  @TempDir static java.nio.file.Path directory;
  private static ConvertCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        ConvertCluster.withArchive(
            directory.resolve("dfs"),
            8,
            4,
            conf -> {
              conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN);
              conf.setBoolean("dfs.block.access.token.enable", true);
              conf.setBoolean("dfs.encrypt.data.transfer", true);
              conf.set("dfs.encrypt.data.transfer.cipher.suites", "AES/CTR/NoPadding");
              EncryptionZones.configure(conf, directory);
              conf.setInt("dfs.namenode.decommission.interval", 1);
              conf.setLong("dfs.balancer.getBlocks.min-block-size", 1);
              conf.setInt("dfs.balancer.max-no-move-interval", 1000);
              conf.setInt("dfs.namenode.replication.max-streams", 16);
              conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 32);
            });
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static JobReport convert(JobSettings settings, String name) throws IOException {
    try (Driver driver = cluster.driver()) {
      return driver.execute(settings, name);
    }
  }

  private static byte[] converted(String path) throws Exception {
    byte[] bytes = cluster.write(path, 7 * BLOCK + 4711);
    String name = path.substring(1).replace('/', '-');
    assertThat(convert(ConvertCluster.contiguous(path, CODE), name).failures()).isEmpty();
    return bytes;
  }

  /** Asserts that a file is sound by all available checks. */
  private static void assertSound(String path, byte[] bytes) throws Exception {
    assertThat(cluster.policy(path)).isEqualTo(POLICY);
    cluster.assertBytes(path, bytes);
    cluster.assertHealthy(path);
    cluster.assertParityRight(path);
    // HDFS may place or delete blocks against the rack rule first, and then moves one.
    Conditions.await("enough racks for " + path, () -> audit(path).isEmpty());
  }

  /** Returns the violations that {@code plan --audit} finds. */
  private static String audit(String path) {
    CommandRun plan =
        CommandRun.of(Stripeline.commandLine(), "plan", cluster.uri() + path, "--audit");
    return plan.status() == 0 ? "" : plan.said();
  }

  @Test
  void survivesAnImageBlockReportsAndALostDataNode() throws Exception {
    byte[] bytes = converted("/kept/a");
    cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_ENTER);
    cluster.fs().saveNamespace();
    cluster.fs().setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    cluster.mini.restartNameNode(true);
    cluster.reportAll();
    Conditions.await("reports", () -> cluster.isWhole("/kept/a"));
    assertSound("/kept/a", bytes);

    DatanodeInfo victim = cluster.blocks("/kept/a").get(0).getLocations()[0];
    DataNodeProperties stopped = cluster.mini.stopDataNode(victim.getXferAddr());
    cluster.assertBytes("/kept/a", bytes);
    cluster.mini.setDataNodeDead(victim);
    Conditions.await(
        "reconstruction", () -> !cluster.isOn("/kept/a", victim) && cluster.isWhole("/kept/a"));
    assertSound("/kept/a", bytes);
    cluster.mini.restartDataNode(stopped, true);
    cluster.mini.waitActive();
    Conditions.await("the DataNode", () -> live() == 8);
    Conditions.await("what is there twice to go", () -> cluster.isWhole("/kept/a"));
    assertSound("/kept/a", bytes);
  }

  private static int live() throws IOException {
    return cluster.fs().getClient().datanodeReport(DatanodeReportType.LIVE).length;
  }

  @Test
  void aDataNodeWithLinkedBlocksIsDecommissioned() throws Exception {
    byte[] bytes = converted("/leaving/a");
    DatanodeInfo victim = cluster.blocks("/leaving/a").get(0).getLocations()[0];
    DatanodeManager nodes = cluster.mini.getNamesystem().getBlockManager().getDatanodeManager();
    DatanodeDescriptor leaving = nodes.getDatanode(victim.getDatanodeUuid());
    nodes.getDatanodeAdminManager().startDecommission(leaving);
    try {
      Conditions.await("decommissioning", leaving::isDecommissioned);
      assertThat(remaining("/leaving/a", victim)).isTrue();
      cluster.assertBytes("/leaving/a", bytes);
    } finally {
      cluster.mini.getNamesystem().writeLock();
      try {
        nodes.getDatanodeAdminManager().stopDecommission(leaving);
      } finally {
        cluster.mini.getNamesystem().writeUnlock();
      }
    }
    Conditions.await("what is there twice to go", () -> cluster.isWhole("/leaving/a"));
    assertSound("/leaving/a", bytes);
  }

  /** Returns whether all internal blocks exist on DataNodes other than the given one. */
  private static boolean remaining(String path, DatanodeInfo without) throws IOException {
    for (LocatedBlock block : cluster.blocks(path)) {
      LocatedStripedBlock group = (LocatedStripedBlock) block;
      Set<Byte> indices = new HashSet<>();
      for (int i = 0; i < group.getLocations().length; i++) {
        if (!group.getLocations()[i].getDatanodeUuid().equals(without.getDatanodeUuid())) {
          indices.add(group.getBlockIndices()[i]);
        }
      }
      if (indices.size() != Math.min(3, (group.getBlockSize() - 1) / BLOCK + 1) + 2) {
        return false;
      }
    }
    return true;
  }

  @Test
  void theMoverTakesLinkedBlocksToTheArchive() throws Exception {
    byte[] bytes = cluster.write("/cold/a", 7 * BLOCK + 4711);
    JobSettings settings = ConvertCluster.contiguous("/cold/a", CODE);
    settings.storagePolicy = "COLD";
    assertThat(convert(settings, "cold").failures()).isEmpty();

    int status = ToolRunner.run(cluster.conf(), new Mover.Cli(), new String[] {"-p", "/cold/a"});

    assertThat(status).isZero();
    Conditions.await(
        "the archive",
        () -> {
          boolean isThere = cluster.isWhole("/cold/a");
          for (LocatedBlock group : cluster.blocks("/cold/a")) {
            for (StorageType type : group.getStorageTypes()) {
              isThere &= type == StorageType.ARCHIVE;
            }
          }
          return isThere;
        });
    assertSound("/cold/a", bytes);
  }

  @Test
  void theBlockScannerFindsADamagedLinkedBlock() throws Exception {
    byte[] bytes = converted("/scanned/a");
    LocatedBlock first = internal((LocatedStripedBlock) cluster.blocks("/scanned/a").get(0), 0);
    DatanodeInfo damaged = first.getLocations()[0];
    DataNode holder = cluster.mini.getDataNode(damaged.getIpcPort());
    cluster.mini.getMaterializedReplica(holder, first.getBlock()).corruptData();

    ScanOrder.scan(holder, first.getBlock());

    Conditions.await(
        "the group to be whole without the damaged block",
        () ->
            cluster.isWhole("/scanned/a")
                && !ConvertCluster.isOn(cluster.blocks("/scanned/a").get(0), damaged));
    // After reconstruction, the group may be in too few racks at first; the NameNode corrects this,
    // too.
    Conditions.await("the rack rule", () -> audit("/scanned/a").isEmpty());
    assertSound("/scanned/a", bytes);
  }

  /**
   * Returns an internal block of a group with its location.
   *
   * @param index the index of the block in its group
   */
  private static LocatedBlock internal(LocatedStripedBlock group, int index) {
    for (int i = 0; i < group.getLocations().length; i++) {
      if (group.getBlockIndices()[i] == index) {
        return StripedBlockUtil.constructInternalBlock(group, i, BLOCK, 3, index);
      }
    }
    throw new AssertionError("no internal block " + index + " in " + group);
  }

  @Test
  void theBalancerMovesALinkedBlock() throws Exception {
    byte[] bytes = converted("/balanced/a");
    DatanodeInfo full = cluster.blocks("/balanced/a").get(0).getLocations()[0];
    DatanodeInfo empty = whereItMayGo(cluster.blocks("/balanced/a").get(0), full);
    // At least a sixth of the first disk is in use, and almost nothing of the second.
    cluster.setDiskCapacity(full, 6 * BLOCK);
    cluster.setDiskCapacity(empty, 1000 * BLOCK);
    try {
      cluster.mini.triggerHeartbeats();

      int before = blocksOn(full);
      // The balancer tries blocks in random order and ends when it moves nothing more.
      Conditions.await(
          "a block to be moved",
          () -> {
            BalancerCommand.run(
                cluster.conf(),
                "-threshold",
                "5",
                "-idleiterations",
                "1",
                "-include",
                full.getXferAddr() + "," + empty.getXferAddr());
            return cluster.isWhole("/balanced/a") && blocksOn(full) < before;
          });
    } finally {
      cluster.setDiskCapacity(full, -1);
      cluster.setDiskCapacity(empty, -1);
      cluster.mini.triggerHeartbeats();
    }
    // It may move a block of another group to a rack that this group has already, which its check
    // (BlockPlacementPolicyDefault.isMovable) does not prevent; the NameNode mends it later.
    cluster.awaitWithReports("enough racks", () -> audit("/balanced/a").isEmpty());
    assertSound("/balanced/a", bytes);
  }

  private static int blocksOn(DatanodeInfo node) throws IOException {
    int count = 0;
    for (LocatedBlock group : cluster.blocks("/balanced/a")) {
      count += ConvertCluster.isOn(group, node) ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns a DataNode that may receive a block of a group without reducing the number of racks of
   * the group.
   */
  private static DatanodeInfo whereItMayGo(LocatedBlock group, DatanodeInfo from)
      throws IOException {
    for (DatanodeInfo node : cluster.fs().getClient().datanodeReport(DatanodeReportType.LIVE)) {
      Set<String> racks = new HashSet<>();
      racks.add(node.getNetworkLocation());
      Set<String> racksNow = new HashSet<>();
      for (DatanodeInfo holder : group.getLocations()) {
        racksNow.add(holder.getNetworkLocation());
        if (!holder.equals(from)) {
          racks.add(holder.getNetworkLocation());
        }
      }
      if (!ConvertCluster.isOn(group, node) && racks.size() >= racksNow.size()) {
        return node;
      }
    }
    throw new AssertionError("no DataNode for a block of " + group);
  }

  @Test
  void quotasHoldAndLeaveRoomWhereNoneIsNeeded() throws Exception {
    byte[] whole = cluster.write("/tight/a", 6 * BLOCK);
    cluster.fs().setQuota(new Path("/tight"), 2, 18L * BLOCK);
    assertThat(convert(ConvertCluster.contiguous("/tight", CODE), "tight").failures()).isEmpty();
    assertSound("/tight/a", whole);
    assertThat(cluster.fs().getContentSummary(new Path("/tight")).getSpaceConsumed())
        .isEqualTo(10 * BLOCK);

    // The lease is granted only if the quota has room for a whole block.
    byte[] ragged = cluster.write("/ragged/a", 5 * BLOCK + 9);
    cluster.fs().setQuota(new Path("/ragged"), 2, 15L * BLOCK + 27);
    JobReport refused = convert(ConvertCluster.contiguous("/ragged", CODE), "ragged");
    assertThat(refused.failures()).hasSize(1);
    assertThat(refused.failures().get(0).reason).contains("DSQuotaExceeded");
    assertThat(cluster.policy("/ragged/a")).isNull();
    cluster.assertBytes("/ragged/a", ragged);
    assertThat(cluster.temporaries()).isEmpty();
    cluster.fs().setQuota(new Path("/ragged"), 2, 18L * BLOCK);
    assertThat(convert(ConvertCluster.contiguous("/ragged", CODE), "ragged-2").failures())
        .isEmpty();
    assertSound("/ragged/a", ragged);
  }

  @Test
  void anEncryptionZoneWithAQuotaIsConvertedInBothLayouts() throws Exception {
    EncryptionZones.make(cluster, "/zone");
    byte[] first = cluster.write("/zone/a", 4 * BLOCK + 5);
    byte[] second = cluster.write("/zone/b", 4 * BLOCK + 5);
    // The temporary files of an encryption zone are in the zone: one at a time, with the parity of
    // its 2 groups.
    long used = cluster.fs().getContentSummary(new Path("/zone")).getSpaceConsumed();
    cluster.fs().setQuota(new Path("/zone"), 5, used + 15L * BLOCK);

    assertThat(convert(ConvertCluster.contiguous("/zone/a", CODE), "zone-a").failures()).isEmpty();
    assertThat(convert(ConvertCluster.striped("/zone/b", CODE), "zone-b").failures()).isEmpty();

    assertSound("/zone/a", first);
    cluster.assertBytes("/zone/b", second);
    cluster.assertParityRight("/zone/b");
    assertThat(cluster.policy("/zone/b")).isEqualTo("RS-3-2-64k");
    assertThat(cluster.fs().listStatus(new Path("/zone"))).hasSize(2);
    assertThat(cluster.fs().getFileEncryptionInfo(new Path("/zone/b"))).isNotNull();
  }
}
