// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.junit.jupiter.api.Test;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;

class EncoderChoiceTest {
  private static DatanodeInfo node(int number, int port) {
    return new DatanodeInfo.DatanodeInfoBuilder()
        .setDatanodeUuid("node" + number)
        .setIpAddr("10.0.0." + number)
        .setXferPort(port)
        .setNetworkLocation("/r")
        .build();
  }

  private static LocatedBlock block(DatanodeInfo... holders) {
    return new LocatedBlock(new ExtendedBlock("pool", 7), holders);
  }

  /** The NameNode does not name the replicas of a DataNode that has just been restarted. */
  @Test
  void aVoterIsAskedAtItsPresentAddress() throws Exception {
    BadReplicas bad = new BadReplicas();
    bad.others(0, block(node(0, 9866), node(1, 9866), node(2, 9866)));
    List<DatanodeStorageReport> reports = new ArrayList<>();
    Set<String> sound = new HashSet<>();
    for (int number = 0; number < 5; number++) {
      DatanodeInfo node = node(number, 5000);
      StorageReport storage =
          new StorageReport(
              new DatanodeStorage("disk", DatanodeStorage.State.NORMAL, StorageType.DISK),
              false,
              1 << 30,
              0,
              1 << 30,
              0,
              0);
      reports.add(new DatanodeStorageReport(node, new StorageReport[] {storage}));
      sound.add(node.getDatanodeUuid());
    }
    AgentNodes.Snapshot cluster =
        new AgentNodes.Snapshot(reports, 0, sound, Collections.emptySet());
    CodeShape shape = CodeShape.ofDataAndParity(1, 1);
    GroupPlan plan =
        GroupPlanner.plan(
            shape,
            new int[][] {{1, 2}},
            cluster.topology(),
            RackRule.even(shape, 1),
            new SplittableRandom(1));
    List<LocatedBlock> blocks = List.of(block(node(1, 5000), node(2, 5000)));

    assertThat(new EncoderChoice(plan, cluster, blocks).readOrder(0, plan.encoder(), bad))
        .allSatisfy(node -> assertThat(node.transferPort).isEqualTo(5000))
        .extracting(node -> node.uuid)
        .containsExactlyInAnyOrder("node0", "node1", "node2");
  }
}
