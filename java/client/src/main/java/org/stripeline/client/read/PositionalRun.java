// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

/**
 * Positional reads of a stream that follow each other, as those of a scan do. Readers are opened
 * for more than is wanted once that is a small share of what the run has read: what is left over at
 * the end of a run was read by DataNodes in vain.
 */
public final class PositionalRun {
  /** This part of what the run has read is asked for ahead. */
  private static final int AHEAD_PART = 64;

  /** Least size of a large read: such reads are taken to go through a file ... */
  private static final long LARGE_BYTES = 4 << 20;

  /** ... so this part of the run is asked for ahead: from the third read on, one more read. */
  private static final int LARGE_AHEAD_PART = 3;

  private static final long AHEAD_BYTES_MAX = 16 << 20;

  private long start;
  private long end = -1;

  /**
   * Takes note of a read of a range of the file.
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
    // A reader that stands inside of a chunk cannot go back to the chunk's begin for the next read.
    boolean isReusable = to % GroupGeometry.CHUNK_BYTES == 0;
    return isReusable && aheadBytes >= to - from ? aheadBytes : 0;
  }
}
