// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.testkit.Conditions;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
@Tag("full")
class ActiveNameNodesTest {
  @Test
  void theActiveOneIsFoundAlsoAfterAFailover(@TempDir Path dir) throws Exception {
    Configuration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.setLong("dfs.heartbeat.interval", 1);
    try (MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(conf)
            .nnTopology(MiniDFSNNTopology.simpleHATopology())
            .numDataNodes(1)
            .build()) {
      DataNode node = cluster.getDataNodes().get(0);
      String pool = cluster.getNamesystem(0).getBlockPoolId();
      for (int active = 0; active < 2; active++) {
        cluster.transitionToActive(active);
        Object address = cluster.getNameNode(active).getNameNodeAddress();
        Conditions.await(
            "the DataNode to obey NameNode " + active,
            () -> address.equals(ActiveNameNodes.address(node, pool)));
        cluster.transitionToStandby(active);
        Conditions.await(
            "the DataNode to obey none", () -> ActiveNameNodes.address(node, pool) == null);
      }
      assertThat(ActiveNameNodes.address(node, "BP-none")).isNull();
    }
  }
}
