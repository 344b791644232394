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

/**
 * Removes replicas, whatever their state, and returns when their files are gone.
 *
 * <p>The deletions that a NameNode asks for wait in a queue of the volume, and delete by path or by
 * block id whatever is there when their turn comes. A replica of the same name that was made in
 * between would lose its files. So this does what Hadoop does for a replica that stands in the way
 * of a new one: it stops the writer and deletes in this thread. It leaves nothing in a queue.
 */
public final class ReplicaRemover {
  private static final long WAIT_MILLIS = TimeUnit.SECONDS.toMillis(10);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final FinalizedReplicas replicas;
  private final FsDatasetImpl dataset;

  /** Removes replicas of {@code replicas}. */
  public ReplicaRemover(FinalizedReplicas replicas) {
    this.replicas = replicas;
    this.dataset = replicas.dataset();
  }

  /**
   * Removes the replica of that id and generation stamp with its files; the NameNode is told with
   * the next report. No caller may be linking that block.
   *
   * @return whether there was one
   * @throws IOException if the replica or a file of it is still there; no deletion is pending then
   */
  public boolean remove(ExtendedBlock block) throws IOException {
    ReplicaInfo replica = find(block);
    if (replica == null) {
      return false;
    }
    if (replica instanceof ReplicaInPipeline) {
      // Its receiver would otherwise go on, and finalize or discard what gets the name next.
      ((ReplicaInPipeline) replica).stopWriter(WAIT_MILLIS);
    }
    deleteNow(block);
    // A deletion that the NameNode has asked for may be at work on the same replica.
    long start = System.nanoTime();
    while (find(block) != null || replicas.fileOf(block) != null) {
      if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS)) {
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

  /** Hadoop has this for itself only; it takes the locks that its release has. */
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
