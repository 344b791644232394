// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.balancer.Balancer;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.placement.CodeShape;
import org.stripeline.placement.NodeState;
import org.stripeline.placement.RackRule;
import org.stripeline.placement.Topology;
import org.stripeline.placement.group.GroupPlan;
import org.stripeline.placement.group.GroupPlanner;
import org.stripeline.server.namenode.EarKeys;

/** Tests files on a real cluster whose NameNodes place them for encoding. */
@Tag("full")
class EarClusterTest {
  private static final int K = 3;
  private static final int RACKS = 5;
  private static final int BLOCK_BYTES = 1024;
  private static final CodeShape SHAPE = CodeShape.ofDataAndParity(K, 2);

  @TempDir Path dir;

  private Configuration conf() {
    Configuration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, dir.toString());
    conf.set("hadoop.tmp.dir", dir.resolve("tmp").toString());
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 0);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_BYTES);
    conf.set(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, EarPlacementPolicy.class.getName());
    conf.set(EarKeys.DIRECTORIES, "/warm");
    conf.set(EarKeys.CODE, "RS-3-2");
    conf.set(EarKeys.BLOCKS_PER_RACK, "1");
    return conf;
  }

  private static String[] racks() {
    return Stream.iterate(0, i -> i + 1)
        .limit(2 * RACKS)
        .map(i -> "/r" + i % RACKS)
        .toArray(String[]::new);
  }

  @Test
  void survivesRestartFailoverFsckAndBalancer() throws Exception {
    Configuration conf = conf();
    try (MiniDFSCluster cluster =
        new MiniDFSCluster.Builder(conf)
            .nnTopology(MiniDFSNNTopology.simpleHATopology())
            .numDataNodes(2 * RACKS)
            .racks(racks())
            .build()) {
      cluster.waitActive();
      cluster.transitionToActive(0);
      try (DistributedFileSystem fs = HATestUtil.configureFailoverFs(cluster, conf)) {
        writeAndCheck(fs, "before");
        cluster.transitionToStandby(0);
        cluster.transitionToActive(1);
        writeAndCheck(fs, "after-failover");
        cluster.restartNameNode(1);
        cluster.transitionToActive(1);
        writeAndCheck(fs, "after-restart");
        Configuration client = conf();
        FileSystem.setDefaultUri(client, cluster.getURI(1));
        client.set(
            DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY,
            NetUtils.getHostPortString(cluster.getNameNode(1).getHttpAddress()));
        ByteArrayOutputStream report = new ByteArrayOutputStream();
        DFSck fsck = new DFSck(client, new PrintStream(report, true, "UTF-8"));
        assertThat(ToolRunner.run(fsck, new String[] {"/", "-files", "-blocks", "-racks"}))
            .as(report.toString("UTF-8"))
            .isZero();
        assertThat(report.toString("UTF-8")).contains("HEALTHY");
        // The command, which refuses policies that do not extend Hadoop's own.
        Class<?> balancer = Class.forName(Balancer.class.getName() + "$Cli");
        Constructor<?> constructor = balancer.getDeclaredConstructor();
        constructor.setAccessible(true);
        Tool tool = (Tool) constructor.newInstance();
        assertThat(ToolRunner.run(client, tool, new String[0])).isZero();
      }
    }
  }

  /** Writes files, and checks that all of their groups can be made from the existing replicas. */
  private static void writeAndCheck(DistributedFileSystem fs, String name) throws Exception {
    for (int file = 0; file < 5; file++) {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/warm/" + name + file);
      try (FSDataOutputStream out = fs.create(path, (short) 3)) {
        out.write(new byte[3 * K * BLOCK_BYTES]);
      }
      DFSTestUtil.waitReplication(fs, path, (short) 3);
      List<LocatedBlock> blocks =
          fs.getClient().getLocatedBlocks(path.toString(), 0, Long.MAX_VALUE).getLocatedBlocks();
      assertThat(blocks).hasSize(3 * K);
      for (int from = 0; from < blocks.size(); from += K) {
        GroupPlan plan = plan(fs, blocks.subList(from, from + K));
        assertThat(plan.sends()).as("%s", plan).isZero();
        assertThat(coreRacks(blocks.subList(from, from + K))).as("%s", plan).isNotEmpty();
        assertThat(plan.relaxation().blocksPerRackMost()).as("%s", plan).isEqualTo(1);
      }
    }
  }

  /** Returns the racks that have a replica of each block. */
  private static Set<String> coreRacks(List<LocatedBlock> blocks) {
    Set<String> common = null;
    for (LocatedBlock block : blocks) {
      Set<String> racks = new HashSet<>();
      for (DatanodeInfo node : block.getLocations()) {
        racks.add(node.getNetworkLocation());
      }
      if (common == null) {
        common = racks;
      }
      common.retainAll(racks);
    }
    return common;
  }

  private static GroupPlan plan(DistributedFileSystem fs, List<LocatedBlock> blocks)
      throws Exception {
    Map<String, Integer> numbers = new HashMap<>();
    Topology.Builder topology = new Topology.Builder();
    for (DatanodeInfo node : fs.getDataNodeStats()) {
      int rack = Integer.parseInt(node.getNetworkLocation().substring("/r".length()));
      numbers.put(node.getDatanodeUuid(), topology.add(rack, NodeState.OPEN, 0));
    }
    int[][] replicas =
        blocks.stream()
            .map(
                block ->
                    Stream.of(block.getLocations())
                        .mapToInt(node -> numbers.get(node.getDatanodeUuid()))
                        .toArray())
            .toArray(int[][]::new);
    return GroupPlanner.plan(
        SHAPE, replicas, topology.build(), RackRule.atMost(1), new SplittableRandom(3));
  }
}
