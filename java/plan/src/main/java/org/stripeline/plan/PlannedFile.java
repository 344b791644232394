// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import java.util.Arrays;
import org.stripeline.convert.rules.FileFacts;
import org.stripeline.placement.CodeName;

/**
 * What a plan is made from: one file as a source saw it. A source may use one object for all its
 * files, one after the other; nobody else keeps or changes it.
 */
final class PlannedFile implements FileFacts {
  /** No file takes more bytes, replicas included: it is a quarter of an EiB. */
  private static final long STORED_MAX = 1L << 58;

  /** Absolute, without scheme and authority. */
  String path;

  /** Bytes. */
  long length;

  /** Bytes of a full block. */
  long blockSize;

  /** Replicas of each block; of no meaning if the file is coded. */
  int replication;

  /** The code of a file that is erasure-coded already; null if it is replicated. */
  CodeName coded;

  /** Whether somebody writes the file. */
  boolean isOpen;

  /** The number of its storage policy, 0 if it is not known. */
  int storagePolicy;

  /** Whether a snapshot may hold its blocks. */
  boolean isInSnapshot;

  /** How many of the arrays' places are used: blocks, or block groups of a coded file. */
  int blockCount;

  /** Bytes of each block, or data bytes of each group. */
  long[] blocks = new long[8];

  /** Of each block the numbers of the nodes that hold it; null if the source cannot tell. */
  int[][] replicas;

  /** Begins another file. */
  void reset(String newPath) {
    path = newPath;
    length = 0;
    blockSize = 0;
    replication = 0;
    coded = null;
    isOpen = false;
    storagePolicy = 0;
    isInSnapshot = false;
    blockCount = 0;
    replicas = null;
  }

  /** Adds a block of so many bytes, without locations. */
  void addBlock(long bytes) {
    if (blockCount == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * blockCount);
    }
    blocks[blockCount++] = bytes;
    length += bytes;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public long bytes() {
    return length;
  }

  @Override
  public long blockBytes() {
    return blockSize;
  }

  @Override
  public int replication() {
    return replication;
  }

  @Override
  public CodeName coded() {
    return coded;
  }

  @Override
  public boolean isOpen() {
    return isOpen;
  }

  @Override
  public int storagePolicy() {
    return storagePolicy;
  }

  @Override
  public int blockCount() {
    return blockCount;
  }

  @Override
  public long bytesOfBlock(int index) {
    return blocks[index];
  }

  @Override
  public boolean lacksReplica() {
    for (int i = 0; replicas != null && i < blockCount; i++) {
      if (replicas[i].length == 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the figures can be those of a file, so that sums over it stay in range. */
  boolean isPlausible() {
    for (int i = 0; i < blockCount; i++) {
      if (blocks[i] < 0) {
        return false;
      }
    }
    return blockSize >= 0
        && blockSize <= STORED_MAX / CodeName.BLOCKS_IN_GROUP_MAX
        && replication >= 0
        && replication <= Short.MAX_VALUE
        && length >= 0
        && length <= STORED_MAX / Math.max(1, replication);
  }

  /** Returns the bytes of some blocks. */
  long bytes(int start, int end) {
    long sum = 0;
    for (int i = start; i < end; i++) {
      sum += blocks[i];
    }
    return sum;
  }

  /** Returns the bytes of the longest of some blocks: parity blocks are as long. */
  long longest(int start, int end) {
    long longest = 0;
    for (int i = start; i < end; i++) {
      longest = Math.max(longest, blocks[i]);
    }
    return longest;
  }
}
