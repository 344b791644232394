// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** Gives access to non-public members of a DataNode's block scanner. */
public final class ScannerProbe {
  private final BlockScanner scanner;

  public ScannerProbe(DataNode node) {
    scanner = node.getBlockScanner();
  }

  /** Schedules a replica to be scanned at once. */
  public void suspect(String storageId, ExtendedBlock block) {
    scanner.markSuspectBlock(storageId, block);
  }

  public long scanned(String storageId) {
    return scanner.getVolumeStats(storageId).blocksScannedSinceRestart;
  }

  public long errors(String storageId) {
    return scanner.getVolumeStats(storageId).scanErrorsSinceRestart;
  }
}
