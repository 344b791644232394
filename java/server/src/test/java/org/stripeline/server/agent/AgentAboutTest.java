// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentAboutTest {
  @Test
  void about(@TempDir Path dir) throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.set("dfs.datanode.plugins", "org.apache.hadoop.hdfs.server.datanode.StripelineAgent");
    try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(1).build();
        Agents agents = Agents.connect(conf)) {
      cluster.waitActive();
      DatanodeInfo node = cluster.getFileSystem().getDataNodeStats()[0];
      assertThat(agents.about(node).uuid).isEqualTo(node.getDatanodeUuid());
    }
  }
}
