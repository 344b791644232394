// SPDX-License-Identifier: Apache-2.0
package org.stripeline.tools.convert;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/** Whether all that a complete file is made of has been reported to the NameNode. */
final class Redundancy {
  private Redundancy() {}

  /**
   * Waits for it.
   *
   * @throws IOException if something is missing for a minute; writers go on without DataNodes that
   *     failed, but an original must not be given up for a file that is not whole
   */
  static void await(DFSClient client, String path, ErasureCodingPolicy policy, int replication)
      throws IOException {
    Patience.await(
        "Cannot use " + path + ", blocks of which are missing",
        () -> isWhole(client, path, policy, replication));
  }

  private static boolean isWhole(
      DFSClient client, String path, ErasureCodingPolicy policy, int replication)
      throws IOException {
    List<LocatedBlock> blocks =
        client.getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks();
    for (LocatedBlock block : blocks) {
      boolean whole =
          policy == null
              ? block.getLocations().length >= replication
              : indices(block) >= indicesWanted(block.getBlockSize(), policy);
      if (!whole) {
        return false;
      }
    }
    return true;
  }

  /** Several DataNodes may have the same internal block; that makes up for no other. */
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
