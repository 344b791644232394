// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/**
 * Detects positional reads of a stream that follow each other, as in a scan. Readers are opened
 * beyond the requested range once the excess is a small fraction of what the run has read, because
 * DataNodes read the excess in vain if the run ends.
 */
public final class PositionalRun {
  /** Readers are opened ahead for this fraction of what the run has read. */
  private static final int AHEAD_PART = 64;

  /** The minimum size of a large read; such reads probably scan a file. */
  private static final long LARGE_BYTES = 4 << 20;

  /** The fraction for large reads: from the third read on, readers are opened for one more read. */
  private static final int LARGE_AHEAD_PART = 3;

  private static final long AHEAD_BYTES_MAX = 16 << 20;

  private long start;
  private long end = -1;

  /**
   * Records a read of a range of the file.
   *
   * @return bytes beyond the range for which readers may be opened; 0, or enough for another read
   */
  public synchronized long next(long from, long to) {
    if (from != end) {
      start = from;
    }
    end = to;
    int part = to - from < LARGE_BYTES ? AHEAD_PART : LARGE_AHEAD_PART;
    long aheadBytes = Math.min(AHEAD_BYTES_MAX, (to - start) / part);
    // A reader inside a chunk cannot go back to the beginning of the chunk for the next read.
    boolean isReusable = to % GroupGeometry.CHUNK_BYTES == 0;
    return isReusable && aheadBytes >= to - from ? aheadBytes : 0;
  }
}
