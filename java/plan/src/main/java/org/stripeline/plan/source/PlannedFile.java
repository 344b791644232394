// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.util.Arrays;
import java.util.function.Supplier;
import org.stripeline.convert.rules.FileFacts;
import org.stripeline.convert.rules.SkipReason;
import org.stripeline.placement.CodeName;

/**
 * One file as a source describes it, the input of a plan. A source may reuse one object for all its
 * files; other code must neither keep nor modify it.
 */
public final class PlannedFile implements FileFacts {
  /** Upper bound of the bytes of a file including its replicas: a quarter of an EiB. */
  private static final long STORED_MAX = 1L << 58;

  /** Absolute path, without scheme and authority. */
  String path;

  /** Length in bytes. */
  long length;

  /** Bytes of a full block. */
  long blockSize;

  /** Replicas of each block; meaningless for an erasure-coded file. */
  int replication;

  /** The code of a file that is erasure-coded already; null if it is replicated. */
  CodeName coded;

  /** Whether the file is open for writing. */
  boolean isOpen;

  /** The number of its storage policy, 0 if unknown. */
  int storagePolicy;

  /** Whether a snapshot may hold its blocks. */
  boolean isInSnapshot;

  /** Its owner, null if the source does not say. */
  String owner;

  /** When it was last modified, in ms since 1970; 0 if the source does not say. */
  long modifiedMs;

  /** Checks that the source answers by further calls; null if it cannot. */
  Supplier<SkipReason> checks;

  /**
   * How many elements of the arrays are used: the number of blocks, or of block groups of an
   * erasure-coded file.
   */
  int blockCount;

  /** Bytes of each block, or data bytes of each group. */
  long[] blocks = new long[8];

  /** For each block the numbers of the nodes that hold it; null if the source has no locations. */
  int[][] replicas;

  PlannedFile() {}

  /** Resets this object for another file. */
  void reset(String newPath) {
    path = newPath;
    length = 0;
    blockSize = 0;
    replication = 0;
    coded = null;
    isOpen = false;
    storagePolicy = 0;
    isInSnapshot = false;
    owner = null;
    modifiedMs = 0;
    checks = null;
    blockCount = 0;
    replicas = null;
  }

  /** Adds a block of the given length, without locations. */
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

  /**
   * Returns whether a snapshot may hold its blocks, judged by the modification time until {@link
   * #checks} have looked the file up.
   */
  public boolean isInSnapshot() {
    return isInSnapshot;
  }

  /** Returns its owner, null if the source does not say. */
  public String owner() {
    return owner;
  }

  /** Returns when it was last modified, in ms since 1970; 0 if the source does not say. */
  public long modifiedMs() {
    return modifiedMs;
  }

  /**
   * Returns what tells, by further calls, the reason for which {@code convert} would skip a file
   * that passes all other rules, null for none. Returns null if the source cannot tell.
   */
  public Supplier<SkipReason> checks() {
    return checks;
  }

  /** Returns the numbers of the nodes that hold a block; only if the source has locations. */
  public int[] replicas(int block) {
    return replicas[block];
  }

  /**
   * Returns the numbers of the nodes that hold each block from {@code start} to {@code end},
   * exclusive; only if the source has locations.
   */
  public int[][] replicas(int start, int end) {
    return Arrays.copyOfRange(replicas, start, end);
  }

  /**
   * Returns whether the values are possible for a file, so that sums over files do not overflow.
   */
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

  /** Returns the total bytes of the blocks from {@code start} to {@code end}, exclusive. */
  public long bytes(int start, int end) {
    long sum = 0;
    for (int i = start; i < end; i++) {
      sum += blocks[i];
    }
    return sum;
  }

  /**
   * Returns the length of the longest block from {@code start} to {@code end}, exclusive: parity
   * blocks have this length.
   */
  public long longest(int start, int end) {
    long longest = 0;
    for (int i = start; i < end; i++) {
      longest = Math.max(longest, blocks[i]);
    }
    return longest;
  }
}
