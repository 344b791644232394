// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.stripeline.convert.job.InodePath;
import org.stripeline.convert.job.Polling;
import org.stripeline.convert.select.ClusterFacts;
import org.stripeline.natives.Ticker;

/**
 * Checks that more than half of the replicas of each block of a file can be read, so that they can
 * outvote a wrong one.
 *
 * <p>The NameNode does not report replicas to clients that are corrupt or on DataNodes in
 * maintenance, but deletes those too once the file is replaced. A single reported replica may be
 * the wrong one.
 */
final class ReplicaQuorum {
  /** Longer than DataNodes take to report the blocks of a file that was just written. */
  private static final long WAIT_MS = 5_000;

  private static final long PAUSE_MS = 100;

  private final DFSClient client;
  private final HdfsFileStatus file;
  private int expected = -1;
  private LocatedBlocks blocks;

  /** A block without a majority at the last check, or null. */
  private LocatedBlock few;

  private ReplicaQuorum(DFSClient client, HdfsFileStatus file, LocatedBlocks blocks) {
    this.client = client;
    this.file = file;
    this.blocks = blocks;
  }

  /**
   * Waits up to 5 s for a majority of the replicas of each block.
   *
   * @param file current status of the file, since users can change its replication after the
   *     listing
   * @param blocks all blocks of the file, which must not change
   * @return the same blocks with the current locations of their replicas
   * @throws IOException if at least half of the replicas of a block cannot be read
   */
  static LocatedBlocks await(
      DFSClient client, HdfsFileStatus file, LocatedBlocks blocks, Ticker ticker)
      throws IOException {
    return file.getErasureCodingPolicy() == null
        ? new ReplicaQuorum(client, file, blocks).await(ticker)
        : blocks;
  }

  private LocatedBlocks await(Ticker ticker) throws IOException {
    if (!Polling.isMet(ticker, WAIT_MS, PAUSE_MS, this::isMajority)) {
      throw new IOException(
          "Cannot verify the replicas of "
              + few.getBlock().getBlockName()
              + ": the NameNode reports "
              + few.getLocations().length
              + " of "
              + file.getReplication()
              + ", and more than half must be compared; the"
              + " others are lost, corrupt or on DataNodes in maintenance; convert the file"
              + " again when they are back or have been replicated again");
    }
    return blocks;
  }

  private boolean isMajority() throws IOException {
    if (few != null) {
      blocks = client.getLocatedBlocks(InodePath.of(file.getFileId()), 0, Long.MAX_VALUE);
    }
    few = few();
    return few == null;
  }

  private LocatedBlock few() throws IOException {
    for (LocatedBlock block : blocks.getLocatedBlocks()) {
      int named = block.getLocations().length;
      if (2 * named <= file.getReplication() && 2 * named <= expected()) {
        return block;
      }
    }
    return null;
  }

  /**
   * Returns the expected number of replicas of each block of a file: its replication, but at most
   * the number of DataNodes.
   */
  static int expected(DFSClient client, HdfsFileStatus file) throws IOException {
    return Math.min(file.getReplication(), ClusterFacts.of(client).nodes().size());
  }

  private int expected() throws IOException {
    if (expected < 0) {
      expected = expected(client, file);
    }
    return expected;
  }
}
