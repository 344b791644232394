// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.stripeline.placement.CodeName;

/** What the rules look at of a file, from a listing of the NameNode or from an image of it. */
public interface FileFacts {
  /** Absolute path, without scheme and authority. */
  String path();

  /** Bytes of the file. */
  long bytes();

  /** Bytes of a full block; 0 if unknown. */
  long blockBytes();

  /** Replicas of each block; without meaning if the file is erasure-coded. */
  int replication();

  /** The code with the size of its cells, or null if the file is replicated. */
  CodeName coded();

  /** Whether a client writes the file. */
  boolean isOpen();

  /** The number of its storage policy, 0 if unknown. */
  int storagePolicy();

  /** Whether a block is known to have no live replica. */
  boolean lacksReplica();

  /** Blocks of a replicated file, block groups of an erasure-coded one. */
  int blockCount();

  /**
   * Bytes of a block, or data bytes of a block group.
   *
   * @param index 0 to {@link #blockCount} - 1
   */
  long bytesOfBlock(int index);

  /**
   * Returns where a block group of the file's own blocks ends that starts at a block: after k
   * blocks, or earlier after a block that is not full, since only the last data block of a group
   * may be short.
   */
  default int groupEnd(int start, int k) {
    int end = start;
    while (end < blockCount() && end - start < k) {
      end++;
      if (bytesOfBlock(end - 1) < blockBytes()) {
        break;
      }
    }
    return end;
  }
}
