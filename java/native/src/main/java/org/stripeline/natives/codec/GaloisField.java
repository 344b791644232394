// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

/**
 * Arithmetic in GF(2^8) with the polynomial x^8+x^4+x^3+x^2+1, one element at a time. For
 * Stripeline's own packages.
 */
public final class GaloisField {
  /** The reduction polynomial of Hadoop, ISA-L and HDFS-RAID. */
  static final int POLYNOMIAL = 0x11d;

  /** Powers of 2; stored twice, so that a sum of two logarithms needs no reduction. */
  private static final int[] POWERS = new int[2 * 255];

  private static final int[] LOGARITHMS = new int[256];

  static {
    int value = 1;
    for (int i = 0; i < 255; i++) {
      POWERS[i] = value;
      POWERS[i + 255] = value;
      LOGARITHMS[value] = i;
      value <<= 1;
      if (value > 255) {
        value ^= POLYNOMIAL;
      }
    }
  }

  private GaloisField() {}

  /** Returns the product of two elements. */
  public static int multiply(int a, int b) {
    return a == 0 || b == 0 ? 0 : POWERS[LOGARITHMS[a] + LOGARITHMS[b]];
  }

  /** Returns the inverse of an element other than 0. */
  public static int invert(int a) {
    if (a == 0) {
      throw new ArithmeticException("Cannot invert 0 in GF(256)");
    }
    return POWERS[255 - LOGARITHMS[a]];
  }

  /** Returns 2 to the power of {@code exponent}, which is not negative. */
  static int powerOfTwo(int exponent) {
    return POWERS[exponent % 255];
  }
}
