// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.stripeline.placement.CodeName;

/** The properties of a file that the rules use, from a NameNode listing or an fsimage. */
public interface FileFacts {
  /** Returns the absolute path, without scheme and authority. */
  String path();

  /** Returns the length of the file in bytes. */
  long bytes();

  /** Returns the block size in bytes; 0 if unknown. */
  long blockBytes();

  /** Returns the replicas of each block; undefined if the file is erasure-coded. */
  int replication();

  /** Returns the code with its cell size, or null if the file is replicated. */
  CodeName coded();

  /** Returns whether the file is open for writing. */
  boolean isOpen();

  /** Returns the id of the storage policy; 0 if unknown. */
  int storagePolicy();

  /** Returns whether a block is known to have no live replica. */
  boolean lacksReplica();

  /**
   * Returns the number of blocks of a replicated file, or of block groups of an erasure-coded one.
   */
  int blockCount();

  /**
   * Returns the bytes of a block, or the data bytes of a block group.
   *
   * @param index 0 to {@link #blockCount} - 1
   */
  long bytesOfBlock(int index);

  /**
   * Returns the end (exclusive) of the block group that starts at block {@code start}. A group has
   * k blocks; it ends earlier after a block that is not full, since only the last data block of a
   * group may be short.
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
