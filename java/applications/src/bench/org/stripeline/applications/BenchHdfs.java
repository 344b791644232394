// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;

/** An HDFS in this JVM. */
final class BenchHdfs implements AutoCloseable {
  static final String POLICY = "RS-6-3-1024k";

  /** How many DataNodes the documents killed. */
  static final int DEAD = 2;

  private static final int DATA_NODES = 9;
  private static final int REBUILDS_MAX = 8;
  private static final int POLL_MILLIS = 100;
  private static final int POLLS_MAX = 3000;

  private final MiniDFSCluster cluster;
  private final List<MiniDFSCluster.DataNodeProperties> dead = new ArrayList<>();

  private BenchHdfs(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  /** Starts it with nine DataNodes, and with its files in a folder. */
  static BenchHdfs start(Path folder) throws IOException {
    return start(folder, DATA_NODES);
  }

  static BenchHdfs start(Path folder, int dataNodes) throws IOException {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    // Blocks that are lost for a while stay lost: rebuilding would compete with the programs.
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
    conf.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(dataNodes).build();
    cluster.waitActive();
    return new BenchHdfs(cluster);
  }

  /**
   * Returns the policy of a name such as RS-6-3-64k: data units, parity units, and KiB of a cell.
   */
  static ErasureCodingPolicy policy(String name) {
    Matcher form = Pattern.compile("RS-(\\d+)-(\\d+)-(\\d+)k").matcher(name);
    if (!form.matches()) {
      throw new IllegalArgumentException("Cannot use policy '" + name + "': write RS-6-3-64k");
    }
    ECSchema schema =
        new ECSchema("rs", Integer.parseInt(form.group(1)), Integer.parseInt(form.group(2)));
    return new ErasureCodingPolicy(schema, Integer.parseInt(form.group(3)) << 10);
  }

  MiniDFSCluster cluster() {
    return cluster;
  }

  DistributedFileSystem fileSystem() throws IOException {
    return cluster.getFileSystem();
  }

  void makeDirectories(List<Contestant> contestants) throws IOException {
    makeDirectories(contestants, POLICY);
  }

  void makeDirectories(List<Contestant> contestants, String policy) throws IOException {
    DistributedFileSystem fs = fileSystem();
    fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy(policy)});
    fs.enableErasureCodingPolicy(policy);
    for (Contestant contestant : contestants) {
      fs.mkdirs(contestant.directory());
      if (contestant != Contestant.REPLICATION) {
        fs.setErasureCodingPolicy(contestant.directory(), policy);
      }
    }
  }

  /** Something that may fail. */
  interface Action {
    void run() throws Exception;
  }

  /** Runs an action while this many DataNodes are down. */
  void withDead(int count, Action action) throws Exception {
    try {
      for (int i = 0; i < count; i++) {
        dead.add(cluster.stopDataNode(0));
      }
      action.run();
    } finally {
      cluster.getNamesystem().getBlockManager().setMaxReplicationStreams(0, false);
      for (MiniDFSCluster.DataNodeProperties node : dead) {
        // On new ports, because other connections may use the old ones by now.
        cluster.restartDataNode(node, false);
      }
      dead.clear();
      cluster.waitActive();
    }
  }

  /** Has HDFS rebuild the blocks of the DataNodes that are down, and waits for the end. */
  void rebuild() throws Exception {
    BlockManager blocks = cluster.getNamesystem().getBlockManager();
    blocks.setMaxReplicationStreams(REBUILDS_MAX, false);
    // HDFS does not let it become 0 again; it is for blocks of the highest priority.
    blocks.setReplicationStreamsHardLimit(REBUILDS_MAX);
    for (MiniDFSCluster.DataNodeProperties node : dead) {
      cluster.setDataNodeDead(node.getDatanode().getDatanodeId());
    }
    for (int polls = 0; left(blocks) > 0; polls++) {
      if (polls == POLLS_MAX) {
        throw new IOException("HDFS has not rebuilt " + left(blocks) + " blocks");
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static long left(BlockManager blocks) {
    BlockManagerTestUtil.updateState(blocks);
    return blocks.getLowRedundancyBlocksCount() + blocks.getPendingReconstructionBlocksCount();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
