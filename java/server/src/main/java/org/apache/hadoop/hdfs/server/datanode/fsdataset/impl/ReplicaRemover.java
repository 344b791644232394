// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;

/** Removes replicas as if the NameNode had asked, whatever their state, and waits until it holds. */
public final class ReplicaRemover {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final FsDatasetImpl dataset;

  /** Removes replicas of {@code replicas}. */
  public ReplicaRemover(FinalizedReplicas replicas) {
    this.dataset = replicas.dataset();
  }

  /**
   * Removes the replica of that id and generation stamp. Its files are deleted soon after.
   *
   * @return whether there was one
   */
  public boolean remove(ExtendedBlock block) throws IOException {
    if (!isThere(block)) {
      return false;
    }
    dataset.invalidate(block.getBlockPoolId(), new Block[] {block.getLocalBlock()});
    // Hadoop 3.5 forgets the replica only when it deletes the files.
    long start = System.nanoTime();
    while (isThere(block)) {
      if (System.nanoTime() - start > WAIT_NANOS) {
        throw new IOException("Cannot remove " + block + ": it is still there after 10 s");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  private boolean isThere(ExtendedBlock block) {
    ReplicaInfo replica = dataset.volumeMap.get(block.getBlockPoolId(), block.getBlockId());
    return replica != null && replica.getGenerationStamp() == block.getGenerationStamp();
  }
}
