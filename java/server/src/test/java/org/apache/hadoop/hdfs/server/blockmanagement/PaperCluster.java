// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;

/** A real NameNode with registered DataNodes that do not exist. */
final class PaperCluster implements AutoCloseable {
  private static final long CAPACITY = 1L << 40;

  private final NameNode nameNode;
  private final List<DatanodeDescriptor> nodes = new ArrayList<>();

  PaperCluster(Path dir, int racks, int nodesPerRack, Configuration settings) throws IOException {
    Configuration conf = new HdfsConfiguration();
    settings.forEach(entry -> conf.set(entry.getKey(), entry.getValue()));
    FileSystem.setDefaultUri(conf, "hdfs://localhost:0");
    conf.set(DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY, "localhost:0");
    conf.set(DFSConfigKeys.DFS_NAMENODE_NAME_DIR_KEY, dir.resolve("name").toString());
    conf.set(
        DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY,
        settings.get(
            DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, EarPlacementPolicy.class.getName()));
    DFSTestUtil.formatNameNode(conf);
    nameNode = new NameNode(conf);
    for (int rack = 0; rack < racks; rack++) {
      for (int i = 0; i < nodesPerRack; i++) {
        nodes.add(add(rack, i, StorageType.DISK));
      }
    }
  }

  /** Registers a DataNode of a rack, which {@link #nodes()} does not contain. */
  DatanodeDescriptor add(int rack, int number, StorageType type) {
    String ip = "10." + rack / 200 + "." + rack % 200 + "." + (number + 1);
    String name = rack + "-" + number;
    DatanodeDescriptor node =
        DFSTestUtil.createDatanodeStorageInfo("s-" + name, ip, "/r" + rack, "h-" + name, type, null)
            .getDatanodeDescriptor();
    DatanodeManager manager = blockManager().getDatanodeManager();
    manager.getNetworkTopology().add(node);
    manager.getHeartbeatManager().addDatanode(node);
    manager.getHeartbeatManager().updateDnStat(node);
    beat(node, 0);
    return node;
  }

  /** Sends a heartbeat of a DataNode that is empty and has {@code xceivers} connections. */
  void beat(DatanodeDescriptor node, int xceivers) {
    node.getStorageInfos()[0].setUtilizationForTesting(CAPACITY, 0, CAPACITY, 0);
    blockManager()
        .getDatanodeManager()
        .getHeartbeatManager()
        .updateHeartbeat(
            node, BlockManagerTestUtil.getStorageReportsForDatanode(node), 0, 0, xceivers, 0, null);
  }

  NameNode nameNode() {
    return nameNode;
  }

  BlockManager blockManager() {
    return nameNode.getNamesystem().getBlockManager();
  }

  List<DatanodeDescriptor> nodes() {
    return nodes;
  }

  @Override
  public void close() {
    nameNode.stop();
    nameNode.join();
  }
}
