// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.stripeline.natives.Ticker;

/**
 * Removes replicas in any state, and returns when their files are deleted.
 *
 * <p>Deletions that a NameNode requests wait in a queue of the volume, and then delete whatever
 * exists at a path or under a block id. A new replica with the same id that was created in between
 * would lose its files. This class therefore does what Hadoop does for a replica that is replaced
 * by a new one: it stops the writer and deletes in this thread, without using a queue.
 */
public final class ReplicaRemover {
  private static final long WAIT_MILLIS = TimeUnit.SECONDS.toMillis(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final FinalizedReplicas replicas;
  private final FsDatasetImpl dataset;

  /** Creates a remover for {@code replicas}. */
  public ReplicaRemover(FinalizedReplicas replicas) {
    this.replicas = replicas;
    this.dataset = replicas.dataset();
  }

  /**
   * Removes the replica with an id and generation stamp, and its files. The next report informs the
   * NameNode. No caller may be linking that block.
   *
   * @return whether there was one
   * @throws IOException if the replica or one of its files still exists; no deletion is pending
   *     then
   */
  public boolean remove(ExtendedBlock block) throws IOException {
    ReplicaInfo replica = find(block);
    if (replica == null) {
      return false;
    }
    if (replica instanceof ReplicaInPipeline) {
      // Otherwise its receiver would continue, and finalize or discard the next replica with that
      // id.
      ((ReplicaInPipeline) replica).stopWriter(WAIT_MILLIS);
    }
    deleteNow(block);
    // A deletion that the NameNode requested may be removing the same replica.
    long start = Ticker.SYSTEM.nanos();
    while (find(block) != null || replicas.fileOf(block) != null) {
      if (Ticker.SYSTEM.nanos() - start > TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS)) {
        throw new IOException(
            "Cannot remove "
                + block
                + ": "
                + (find(block) != null
                    ? "its replica is still there"
                    : "its file " + replicas.fileOf(block) + " is still there")
                + "; look for errors of that volume in the DataNode's log, and try again");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }

  /** Calls Hadoop's private method, which takes the locks of its release. */
  private void deleteNow(ExtendedBlock block) throws IOException {
    Block[] one = {block.getLocalBlock()};
    try {
      Method invalidate =
          FsDatasetImpl.class.getDeclaredMethod(
              "invalidate", String.class, Block[].class, boolean.class);
      invalidate.setAccessible(true);
      invalidate.invoke(dataset, block.getBlockPoolId(), one, false);
    } catch (InvocationTargetException e) {
      throw new IOException("Cannot remove " + block + ": " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IOException("Cannot remove " + block + " with this Hadoop: " + e, e);
    }
  }

  private ReplicaInfo find(ExtendedBlock block) {
    ReplicaInfo replica = dataset.volumeMap.get(block.getBlockPoolId(), block.getBlockId());
    return replica != null && replica.getGenerationStamp() == block.getGenerationStamp()
        ? replica
        : null;
  }
}
