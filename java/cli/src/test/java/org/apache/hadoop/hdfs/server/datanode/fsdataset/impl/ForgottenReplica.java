// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** Makes a DataNode forget a replica, without telling the NameNode. */
public final class ForgottenReplica {
  private ForgottenReplica() {}

  /** Removes a replica from the DataNode's memory; its files stay. */
  public static void forget(DataNode node, String pool, long block) {
    ReplicaMap replicas = ((FsDatasetImpl) node.getFSDataset()).volumeMap;
    if (replicas.remove(pool, block) == null) {
      throw new AssertionError("no replica of " + block + " in " + pool);
    }
  }
}
