// SPDX-License-Identifier: Apache-2.0
package org.stripeline.applications;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** An HDFS of nine DataNodes in this JVM. */
final class BenchHdfs implements AutoCloseable {
  static final String POLICY = "RS-6-3-1024k";

  /** How many DataNodes the documents killed. */
  static final int DEAD = 2;

  private static final int DATA_NODES = 9;

  private final MiniDFSCluster cluster;

  private BenchHdfs(MiniDFSCluster cluster) {
    this.cluster = cluster;
  }

  /** Starts it with its files in a folder. */
  static BenchHdfs start(Path folder) throws IOException {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    // Blocks that are lost for a while stay lost: rebuilding would compete with the programs.
    conf.setInt("dfs.namenode.replication.max-streams", 0);
    conf.setInt("dfs.namenode.replication.max-streams-hard-limit", 0);
    MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(DATA_NODES).build();
    cluster.waitActive();
    return new BenchHdfs(cluster);
  }

  MiniDFSCluster cluster() {
    return cluster;
  }

  DistributedFileSystem fileSystem() throws IOException {
    return cluster.getFileSystem();
  }

  void makeDirectories(List<Contestant> contestants) throws IOException {
    DistributedFileSystem fs = fileSystem();
    fs.enableErasureCodingPolicy(POLICY);
    for (Contestant contestant : contestants) {
      fs.mkdirs(contestant.directory());
      if (contestant != Contestant.REPLICATION) {
        fs.setErasureCodingPolicy(contestant.directory(), POLICY);
      }
    }
  }

  /** Something that may fail. */
  interface Action {
    void run() throws Exception;
  }

  /** Runs an action while this many DataNodes are down. */
  void withDead(int count, Action action) throws Exception {
    List<MiniDFSCluster.DataNodeProperties> dead = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        dead.add(cluster.stopDataNode(0));
      }
      action.run();
    } finally {
      for (MiniDFSCluster.DataNodeProperties node : dead) {
        // On new ports, because other connections may use the old ones by now.
        cluster.restartDataNode(node, false);
      }
      cluster.waitActive();
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
