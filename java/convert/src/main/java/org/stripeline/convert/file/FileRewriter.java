// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/** Creates temporary files with the bytes of the originals. */
public interface FileRewriter {
  /**
   * Creates a temporary file and completes it. If this fails, the caller rolls back what was
   * created: the temporary file, and the internal blocks that are in the journal.
   *
   * @return inode id of the temporary file
   */
  long rewrite(Attempt attempt) throws IOException;

  /** Returns whether this rewriter itself compares all replicas of an original. */
  default boolean comparesReplicas() {
    return false;
  }

  /**
   * Checks that the NameNode has the blocks of the temporary file at the locations where they were
   * verified, and nowhere else.
   *
   * @param made inode id of the temporary file
   * @throws IOException if not: the file may contain bytes that no agent has verified
   */
  default void requireAsPlanned(Attempt attempt, long made) throws IOException {}

  /**
   * Compares the blocks of the temporary file with those that were verified.
   *
   * @param blocks all blocks that the NameNode has of it now, or block groups
   * @return what is missing or elsewhere, or null
   */
  default String difference(Attempt attempt, List<LocatedBlock> blocks) {
    return Redundancy.lack(blocks, attempt.policy(), attempt.replication());
  }

  /** Returns whether the parity of the temporary file has been checked against its data on disk. */
  default boolean hasCheckedParity(Attempt attempt) {
    return false;
  }
}
