// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The contents of the benchmark's files: random bytes that are known for every position.
 *
 * <p>The bytes repeat with a period that no cell size divides, so that a misplaced cell is
 * detected. Each file begins at a different position of the period.
 */
public final class Pattern {
  /** Maximum number of contiguous bytes in {@link #bytes}. */
  public static final int CHUNK_BYTES = 1 << 20;

  private static final int PERIOD = (16 << 20) + 8 * 1009;
  private static final int SHIFT = 8 * 100_003;
  private static final int SPOT_STRIDE = 4096;

  private final byte[] bytes = new byte[PERIOD + CHUNK_BYTES];
  private final ByteBuffer view = ByteBuffer.wrap(bytes);

  /** Creates the bytes, which are always the same. */
  public Pattern() {
    SplittableRandom random = new SplittableRandom(20261121);
    for (int i = 0; i < PERIOD; i += Long.BYTES) {
      view.putLong(i, random.nextLong());
    }
    System.arraycopy(bytes, 0, bytes, PERIOD, CHUNK_BYTES);
  }

  /**
   * Returns an array that has, from {@link #index} on, the next {@link #CHUNK_BYTES} bytes of a
   * file.
   */
  public byte[] bytes() {
    return bytes;
  }

  public int index(int file, long position) {
    return (int) ((position + (long) file * SHIFT) % PERIOD);
  }

  /**
   * Compares a few bytes of each page: fast enough for timed operations, and sufficient to detect
   * every shift, hole and misplaced cell.
   *
   * @return whether they are right
   */
  boolean looksRight(int file, long position, byte[] read, int length) {
    ByteBuffer found = ByteBuffer.wrap(read);
    int at = (int) ((SPOT_STRIDE - position % SPOT_STRIDE) % SPOT_STRIDE);
    for (; at + Long.BYTES <= length; at += SPOT_STRIDE) {
      if (found.getLong(at) != view.getLong(index(file, position + at))) {
        return false;
      }
    }
    return length == 0 || read[0] == bytes[index(file, position)];
  }

  /** Compares every byte. */
  public boolean isRight(int file, long position, byte[] read, int length) {
    for (int done = 0; done < length; ) {
      int index = index(file, position + done);
      int step = Math.min(length - done, bytes.length - index);
      if (!ByteBuffer.wrap(read, done, step).equals(ByteBuffer.wrap(bytes, index, step))) {
        return false;
      }
      done += step;
    }
    return true;
  }
}
