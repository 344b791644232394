// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** Has a DataNode's block scanner look at a block now, as a reader's complaint has. */
public final class ScanOrder {
  private ScanOrder() {}

  /** Puts a block before all others. */
  public static void scan(DataNode node, ExtendedBlock block) {
    String storage = node.getFSDataset().getVolume(block).getStorageID();
    node.getBlockScanner().markSuspectBlock(storage, block);
  }
}
