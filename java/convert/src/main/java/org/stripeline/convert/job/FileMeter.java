// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.function.LongConsumer;

/**
 * Converts the bytes that the conversion of one file reads and writes into a share of the file's
 * length, for the progress of the job. A copy is read again before the swap, so a file of which all
 * bytes are copied is not converted yet. Thread-safe.
 */
public final class FileMeter {
  private final long bytes;
  private final LongConsumer progress;
  private long expected;
  private long moved;
  private long counted;

  /**
   * Creates a meter.
   *
   * @param bytes length of the file
   * @param progress receives each increase of the share in bytes, and a negative number if all of
   *     it is taken back
   */
  public FileMeter(long bytes, LongConsumer progress) {
    this.bytes = bytes;
    this.progress = progress;
    expected = bytes;
  }

  /** Sets the number of bytes that will be passed to {@link #moved} until the swap. */
  public synchronized void expect(long total) {
    expected = total;
  }

  /** Adds bytes that were read or written. */
  public synchronized void moved(long more) {
    moved += more;
    count(expected <= moved ? bytes : (long) (bytes * (moved / (double) expected)));
  }

  /** Counts the whole file, or nothing of it, when its conversion has ended. */
  public synchronized void end(boolean isConverted) {
    count(isConverted ? bytes : 0);
  }

  private void count(long share) {
    if (share != counted) {
      progress.accept(share - counted);
      counted = share;
    }
  }
}
