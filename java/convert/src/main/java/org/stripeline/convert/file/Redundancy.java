// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.stripeline.convert.job.Polling;
import org.stripeline.natives.Ticker;

/**
 * Waits until all blocks of a complete file have been reported to the NameNode.
 *
 * <p>Queries the NameNode for one range of blocks at a time, starting at the first block that is
 * not known to be complete: an answer for all blocks of a large file takes megabytes.
 */
public final class Redundancy {
  /** Blocks, or block groups, per query. */
  public static final int BLOCKS_AT_ONCE = 256;

  /**
   * Maximum pause between queries, which limits the load of many waiting files on a busy NameNode.
   */
  private static final long PAUSE_MS_MAX = 2000;

  private final DFSClient client;
  private final String path;
  private final ErasureCodingPolicy policy;
  private final int replication;
  private final long bytes;
  private final long range;

  /** All blocks before this byte are complete. */
  private long whole;

  private Redundancy(DFSClient client, String path, ErasureCodingPolicy policy, int replication)
      throws IOException {
    this.client = client;
    this.path = path;
    this.policy = policy;
    this.replication = replication;
    HdfsFileStatus status = client.getFileInfo(path);
    if (status == null) {
      throw new FileNotFoundException("Cannot use " + path + ": another user deleted it");
    }
    bytes = status.getLen();
    long units = policy == null ? 1 : policy.getNumDataUnits();
    range = BLOCKS_AT_ONCE * units * status.getBlockSize();
  }

  /**
   * Waits until all blocks have been reported.
   *
   * @throws IOException if something is missing for a minute. Writers continue after DataNodes
   *     fail, but an original must not be replaced by a file that is not complete.
   */
  public static void await(
      DFSClient client, String path, ErasureCodingPolicy policy, int replication, Ticker ticker)
      throws IOException {
    Redundancy file = new Redundancy(client, path, policy, replication);
    Polling.awaitSlowly(
        ticker,
        "Cannot use " + path + ", blocks of which are missing",
        PAUSE_MS_MAX,
        file::isWhole);
  }

  private boolean isWhole() throws IOException {
    while (whole < bytes) {
      List<LocatedBlock> blocks =
          client.getLocatedBlocks(path, whole, Math.min(range, bytes - whole)).getLocatedBlocks();
      for (LocatedBlock block : blocks) {
        if (!isWhole(block, policy, replication)) {
          return false;
        }
        whole = block.getStartOffset() + block.getBlockSize();
      }
      if (blocks.isEmpty()) {
        throw new IOException(
            "Cannot use " + path + ": it has no block at byte " + whole + " of " + bytes);
      }
    }
    return true;
  }

  /** Returns which block of a complete file is missing, or null if none is. */
  static String lack(List<LocatedBlock> blocks, ErasureCodingPolicy policy, int replication) {
    for (LocatedBlock block : blocks) {
      if (!isWhole(block, policy, replication)) {
        return block.getBlock() + " is not complete";
      }
    }
    return null;
  }

  private static boolean isWhole(LocatedBlock block, ErasureCodingPolicy policy, int replication) {
    return policy == null
        ? block.getLocations().length >= replication
        : indices(block) >= indicesWanted(block.getBlockSize(), policy);
  }

  /** Counts distinct internal blocks: several DataNodes may have the same one. */
  private static int indices(LocatedBlock block) {
    BitSet seen = new BitSet();
    for (byte index : ((LocatedStripedBlock) block).getBlockIndices()) {
      seen.set(index);
    }
    return seen.cardinality();
  }

  private static long indicesWanted(long bytes, ErasureCodingPolicy policy) {
    long cells = (bytes + policy.getCellSize() - 1) / policy.getCellSize();
    return Math.min(policy.getNumDataUnits(), cells) + policy.getNumParityUnits();
  }
}
