// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan;

import org.apache.hadoop.hdfs.protocol.HdfsConstants;

/**
 * Decides what to do with a file. Of the ways that store fewer bytes than now it takes the first of
 * adoption, adoption with RS-3-2, and copying into a striped file, that brings at least three
 * quarters of what the best would bring: adoption moves almost nothing, so it may store a little
 * more.
 */
final class Adviser {
  /**
   * With the files' blocks as cells RS-6-3 saves 1.25 of 1.5 replicas for 4 blocks, 1.0 for 3 and
   * 0.5 for 2: the line is between the first two.
   */
  private static final double SHARE_OF_BEST_MIN = 0.75;

  private static final long NEVER = Long.MAX_VALUE;

  private final TargetCode code;
  private final TargetCode smaller;

  private Treatment treatment;
  private LeaveReason reason;
  private long bytesAfter;

  Adviser(TargetCode code) {
    this.code = code;
    // Only Reed-Solomon has a smaller brother among the policies that HDFS brings.
    this.smaller = code.isReedSolomon() && code.data() > 3 ? code.withShape(3, 2) : null;
  }

  /** Returns the code of files that are adopted with a smaller one, null if there is none. */
  TargetCode smaller() {
    return smaller;
  }

  /**
   * Decides about a file; the methods below then tell.
   *
   * @param isSynced whether its writers rely on hsync
   */
  void consider(PlannedFile file, boolean isSynced) {
    long now = storedNow(file);
    if (file.coded != null) {
      leave(LeaveReason.CODED, now);
    } else if (file.length == 0) {
      leave(LeaveReason.EMPTY, now);
    } else if (isSynced) {
      leave(LeaveReason.SYNCED, now);
    } else if (file.isOpen) {
      leave(LeaveReason.OPEN, now);
    } else if (file.storagePolicy == HdfsConstants.MEMORY_STORAGE_POLICY_ID) {
      leave(LeaveReason.LAZY_PERSIST, now);
    } else if (file.hasBlockWithoutReplica()) {
      leave(LeaveReason.UNREADABLE, now);
    } else {
      choose(file, now);
    }
  }

  private void choose(PlannedFile file, long now) {
    // Blocks beyond the file's block size, which concat leaves, fit into no cell.
    boolean isCut = file.longest(0, file.blockCount) <= file.blockSize;
    long[] after = {
      isCut && code.takesBlocksOf(file.blockSize) ? code.contiguousBytes(file) : NEVER,
      isCut && smaller != null && smaller.takesBlocksOf(file.blockSize)
          ? smaller.contiguousBytes(file)
          : NEVER,
      // Below one stripe the first cells of a group already outweigh what is saved.
      file.length >= code.cellSize() * code.data() && file.blockSize > 0
          ? code.stripedBytes(file.length, file.blockSize)
          : NEVER
    };
    long best = Math.min(after[0], Math.min(after[1], after[2]));
    if (best >= now) {
      leave(file.replication <= 1 ? LeaveReason.ONE_REPLICA : LeaveReason.TOO_SMALL, now);
      return;
    }
    int choice = 0;
    while (after[choice] == NEVER || now - after[choice] < SHARE_OF_BEST_MIN * (now - best)) {
      choice++;
    }
    treatment = Treatment.values()[choice];
    reason = null;
    bytesAfter = after[choice];
  }

  private void leave(LeaveReason why, long bytes) {
    treatment = Treatment.LEAVE;
    reason = why;
    bytesAfter = bytes;
  }

  /** Returns the bytes that a file takes now, replicas or parity included. */
  static long storedNow(PlannedFile file) {
    if (file.coded == null) {
      return file.length * file.replication;
    }
    long stored = 0;
    for (int i = 0; i < file.blockCount; i++) {
      stored += file.blocks[i] + file.coded.parity() * file.coded.parityLength(file.blocks[i]);
    }
    return stored;
  }

  Treatment treatment() {
    return treatment;
  }

  /** Returns why the file is left, null if it is not. */
  LeaveReason reason() {
    return reason;
  }

  /** Returns the bytes that the file takes after its treatment. */
  long bytesAfter() {
    return bytesAfter;
  }

  /** Returns the code that the file is adopted with, null if it is not. */
  TargetCode adoptedWith() {
    return treatment == Treatment.ADOPT ? code : treatment == Treatment.SMALLER_CODE ? smaller : null;
  }
}
