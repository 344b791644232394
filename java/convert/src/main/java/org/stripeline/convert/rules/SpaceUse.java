// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.stripeline.placement.CodeShape;

/** Computes the disk space of files, including replicas and parity, in each layout. */
public final class SpaceUse {
  private SpaceUse() {}

  /** Returns the bytes on disk of a file in its current layout. */
  public static long now(FileFacts file) {
    if (file.coded() == null) {
      return file.bytes() * file.replication();
    }
    long bytes = 0;
    for (int i = 0; i < file.blockCount(); i++) {
      bytes += ofGroup(file.bytesOfBlock(i), file.coded().shape(), file.coded().cellBytes());
    }
    return bytes;
  }

  /**
   * Returns the bytes on disk of a replicated file after its blocks have been joined into block
   * groups. Parity blocks are as long as the first block of their group.
   */
  public static long contiguous(FileFacts file, CodeShape shape) {
    long bytes = file.bytes();
    int start = 0;
    while (start < file.blockCount()) {
      bytes += shape.parity() * file.bytesOfBlock(start);
      start = file.groupEnd(start, shape.data());
    }
    return bytes;
  }

  /** Returns the bytes on disk of a file after it has been copied to a striped file. */
  public static long striped(long bytes, long blockBytes, CodeShape shape, int cellBytes) {
    long whole = blockBytes * shape.data();
    long rest = bytes % whole;
    return bytes / whole * ofGroup(whole, shape, cellBytes)
        + (rest == 0 ? 0 : ofGroup(rest, shape, cellBytes));
  }

  private static long ofGroup(long bytes, CodeShape shape, int cellBytes) {
    return StripedBlockUtil.spaceConsumedByStripedBlock(
        bytes, shape.data(), shape.parity(), cellBytes);
  }
}
