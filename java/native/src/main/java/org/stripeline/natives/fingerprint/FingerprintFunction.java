// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.nio.ByteBuffer;

/**
 * A fingerprinting function: the coefficients that a seed determines. All blocks that are compared
 * need the same one. A pass over many blocks draws one seed at random, so that damage that one pass
 * misses is found by the next. Thread-safe; takes {@link #sums} bytes of direct memory per row of
 * 64 bytes, 32 KiB with the usual values.
 */
public final class FingerprintFunction {
  /** Bytes of a row of a window, and of each sum. */
  public static final int ROW_BYTES = 64;

  /** The usual number of sums: a wrong column is missed about once in 65,000. */
  public static final int SUMS = 2;

  /** The largest number of sums. */
  public static final int SUMS_MAX = 4;

  /** The usual window: 1 MiB. */
  public static final int WINDOW_BYTES = 1 << 20;

  /** The largest window: 2 MiB, so that enough pairs of coefficients are left for the last rows. */
  public static final int WINDOW_BYTES_MAX = 2 << 20;

  /** The number of pairs of coefficients other than 0. */
  private static final int PAIRS = 255 * 255;

  private final long seed;
  private final int sums;
  private final int windowBytes;
  private final ByteBuffer coefficients;

  /**
   * Creates the function of a seed; takes about a millisecond.
   *
   * @param sums the number of independent sums t, from 1 to {@link #SUMS_MAX}: a fingerprint has 64
   *     x t bytes, and a wrong column of 64 is missed with a probability of about 2^-8t. With 2
   *     sums or more, rows that are exchanged or damaged in the same way are always noticed.
   * @param windowBytes bytes that one fingerprint covers, a multiple of 64 up to {@link
   *     #WINDOW_BYTES_MAX}
   * @throws IllegalArgumentException for other values
   */
  public FingerprintFunction(long seed, int sums, int windowBytes) {
    if (sums < 1 || sums > SUMS_MAX) {
      throw new IllegalArgumentException(
          "Cannot build a fingerprinting function: sums asked for: "
              + sums
              + ", allowed: 1 to "
              + SUMS_MAX);
    }
    if (windowBytes < ROW_BYTES || windowBytes > WINDOW_BYTES_MAX || windowBytes % ROW_BYTES != 0) {
      throw new IllegalArgumentException(
          "Cannot build a fingerprinting function: the window is "
              + windowBytes
              + " bytes, allowed: multiples of 64 up to "
              + WINDOW_BYTES_MAX);
    }
    this.seed = seed;
    this.sums = sums;
    this.windowBytes = windowBytes;
    this.coefficients = draw(seed, sums, windowBytes / ROW_BYTES);
  }

  /**
   * Returns a function, which is another one if that is the same. For callers that keep the
   * function of their last request, because the next one usually has the same.
   *
   * @param recent the other one, or null
   */
  public static FingerprintFunction of(
      FingerprintFunction recent, long seed, int sums, int windowBytes) {
    boolean isSame =
        recent != null
            && recent.seed == seed
            && recent.sums == sums
            && recent.windowBytes == windowBytes;
    return isSame ? recent : new FingerprintFunction(seed, sums, windowBytes);
  }

  /** Returns the seed. */
  public long seed() {
    return seed;
  }

  /** Returns the number of sums. */
  public int sums() {
    return sums;
  }

  /** Returns the bytes that one fingerprint covers. */
  public int windowBytes() {
    return windowBytes;
  }

  /** Returns the bytes of one fingerprint. */
  public int fingerprintBytes() {
    return sums * ROW_BYTES;
  }

  /** Returns the coefficients in a direct buffer, row by row. Callers must not change it. */
  ByteBuffer coefficients() {
    return coefficients;
  }

  /**
   * Draws the coefficients. The first two of a row are a pair that no other row has: the pairs are
   * permuted at random (Fisher and Yates), as far as there are rows. All four are always drawn, so
   * that the number of sums does not change them.
   */
  private static ByteBuffer draw(long seed, int sums, int rows) {
    SplitMix generator = new SplitMix(seed);
    char[] pairs = new char[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
      pairs[i] = (char) i;
    }
    ByteBuffer coefficients = ByteBuffer.allocateDirect(rows * sums);
    for (int row = 0; row < rows; row++) {
      int other = row + generator.below(PAIRS - row);
      char pair = pairs[other];
      pairs[other] = pairs[row];
      pairs[row] = pair;
      int[] all = {pair % 255, pair / 255, generator.below(255), generator.below(255)};
      for (int sum = 0; sum < sums; sum++) {
        coefficients.put(row * sums + sum, (byte) (1 + all[sum]));
      }
    }
    return coefficients;
  }

  /** The generator SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
  private static final class SplitMix {
    private long state;

    SplitMix(long seed) {
      this.state = seed;
    }

    /** Returns a number below {@code bound}, which is less than 2^16. */
    int below(int bound) {
      state += 0x9e3779b97f4a7c15L;
      long mixed = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
      mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
      mixed ^= mixed >>> 31;
      return (int) (((mixed >>> 32) * bound) >>> 32);
    }
  }
}
