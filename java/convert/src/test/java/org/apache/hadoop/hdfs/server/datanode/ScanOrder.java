// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/**
 * Makes a DataNode's block scanner scan a block immediately, as it does after a reader reports the
 * block.
 */
public final class ScanOrder {
  private ScanOrder() {}

  /** Schedules a block before all others. */
  public static void scan(DataNode node, ExtendedBlock block) {
    String storage = node.getFSDataset().getVolume(block).getStorageID();
    node.getBlockScanner().markSuspectBlock(storage, block);
  }
}
