// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.agent.Agents;
import org.stripeline.convert.fixture.ConvertCluster;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.scrub.access.ClusterAccess;
import org.stripeline.scrub.access.HdfsGroup;
import org.stripeline.scrub.check.CheckSettings;
import org.stripeline.scrub.check.Finding;
import org.stripeline.scrub.check.GroupCheck;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.testkit.Conditions;

/** {@code stripeline scrub} of groups in too few racks, or of which not all blocks are named. */
@Timeout(300)
class ScrubRacksTest {
  @TempDir Path directory;

  @Test
  void groupsInTooFewRacksAreNamed() throws Exception {
    try (ConvertCluster cluster =
        new ConvertCluster(
            directory.resolve("dfs"),
            5,
            2,
            conf -> conf.set("dfs.datanode.plugins", ConvertCluster.PLUGIN))) {
      cluster.fs().enableErasureCodingPolicy("RS-3-2-1024k");
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/tree/striped");
      try (FSDataOutputStream out =
          cluster.fs().createFile(file).recursive().ecPolicyName("RS-3-2-1024k").build()) {
        out.write(ConvertCluster.bytes(7, 100_000));
      }
      String[] command = {cluster.uri() + "/tree", "--json"};
      ScrubReport before = ScrubReport.of(command);
      assertThat(before.findings("/tree/striped")).isEmpty();

      cluster.addDataNode(directory.resolve("more"), "/rack2");

      ScrubReport after = ScrubReport.of(command);
      assertThat(after.findings("/tree/striped")).as("%s", after).containsExactly("TOO_FEW_RACKS");
      assertThat(after.out).contains("2 racks instead of 3");
      assertThat(after.status).isEqualTo(ExitStatus.SOUND);
      assertThat(after.sum("groupsHealthy")).isEqualTo(1);
    }
  }

  @Test
  void blocksOnDataNodesInMaintenanceAreNotMissing() throws Exception {
    try (ConvertCluster cluster = ConvertCluster.withoutScanners(directory)) {
      cluster.write("/tree/replicated", ConvertCluster.BLOCK);
      LocatedBlock block = cluster.blocks("/tree/replicated").get(0);
      DatanodeManager nodes = cluster.mini.getNamesystem().getBlockManager().getDatanodeManager();
      DatanodeDescriptor node = nodes.getDatanode(block.getLocations()[0]);
      nodes.getDatanodeAdminManager().startMaintenance(node, Long.MAX_VALUE);
      Conditions.await(
          "maintenance",
          () -> {
            BlockManagerTestUtil.recheckDecommissionState(nodes);
            return node.isInMaintenance();
          });

      ScrubReport report = ScrubReport.of(cluster.uri() + "/tree", "--json");

      assertThat(report.findings("/tree/replicated"))
          .as("%s", report)
          .containsExactly("NOT_CHECKED 0");
      assertThat(report.status).isEqualTo(ExitStatus.UNCHECKED);
    }
  }

  @Test
  void blocksThatWereNotReportedSinceTheNameNodeStartedAreNotMissing() throws Exception {
    try (ConvertCluster cluster = ConvertCluster.withoutScanners(directory)) {
      cluster.write("/tree/replicated", ConvertCluster.BLOCK);
      org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/tree/replicated");
      // Otherwise its replicas may be reported late.
      cluster.fs().setTimes(file, 1000, -1);
      // One more than there are DataNodes is always missing.
      int nodes = cluster.mini.getDataNodes().size();
      cluster.fs().setReplication(file, (short) (nodes + 1));
      Conditions.await(
          "replicas on all DataNodes",
          () -> cluster.blocks("/tree/replicated").get(0).getLocations().length == nodes);
      DatanodeManager manager = cluster.mini.getNamesystem().getBlockManager().getDatanodeManager();
      DatanodeDescriptor node =
          manager.getDatanode(cluster.mini.getDataNodes().get(1).getDatanodeId());

      cluster.fs().setSafeMode(HdfsConstants.SafeModeAction.SAFEMODE_ENTER);
      assertThat(check(cluster)).isEqualTo(Finding.Kind.NOT_CHECKED);
      cluster.fs().setSafeMode(HdfsConstants.SafeModeAction.SAFEMODE_LEAVE);
      long reported = node.getLastBlockReportTime();
      node.setLastBlockReportTime(0);
      assertThat(check(cluster)).isEqualTo(Finding.Kind.NOT_CHECKED);
      node.setLastBlockReportTime(reported);
      assertThat(check(cluster)).isEqualTo(Finding.Kind.MISSING);
    }
  }

  /** Returns the only finding about the file. */
  private static Finding.Kind check(ConvertCluster cluster) throws Exception {
    String path = "/tree/replicated";
    ExecutorService threads = Executors.newCachedThreadPool();
    try (DistributedFileSystem fs = cluster.client();
        Agents agents = Agents.connect(fs.getConf())) {
      LocatedBlock block = cluster.blocks(path).get(0);
      HdfsFileStatus status = fs.getClient().getFileInfo(path);
      ClusterAccess access = new ClusterAccess(fs, agents, new InstantWaits());
      HdfsGroup group =
          new HdfsGroup(access, path, status.getFileId(), status.getReplication(), block);
      List<Finding> findings =
          new GroupCheck(group, new CheckSettings(7, 0), threads).run().findings();
      assertThat(findings).hasSize(1);
      return findings.get(0).kind();
    } finally {
      threads.shutdownNow();
    }
  }
}
