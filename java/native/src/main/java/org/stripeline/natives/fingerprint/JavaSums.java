// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.nio.ByteBuffer;
import org.stripeline.natives.codec.GaloisField;

/** The sums of a fingerprint without the native library. */
final class JavaSums {
  /** The products of every pair of field elements. */
  private static final byte[][] PRODUCTS = new byte[256][256];

  static {
    for (int left = 0; left < 256; left++) {
      for (int right = 0; right < 256; right++) {
        PRODUCTS[left][right] = (byte) GaloisField.multiply(left, right);
      }
    }
  }

  private JavaSums() {}

  /** Adds data, from position to limit, that follows the first {@code start} bytes of a window. */
  static void add(FingerprintFunction function, byte[] sums, int start, ByteBuffer data) {
    ByteBuffer coefficients = function.coefficients();
    int count = function.sums();
    int at = start;
    int next = data.position();
    while (next < data.limit()) {
      int row = at / FingerprintFunction.ROW_BYTES;
      int column = at % FingerprintFunction.ROW_BYTES;
      int bytes = Math.min(data.limit() - next, FingerprintFunction.ROW_BYTES - column);
      for (int sum = 0; sum < count; sum++) {
        byte[] products = PRODUCTS[coefficients.get(row * count + sum) & 0xff];
        int to = sum * FingerprintFunction.ROW_BYTES + column;
        for (int i = 0; i < bytes; i++) {
          sums[to + i] ^= products[data.get(next + i) & 0xff];
        }
      }
      at += bytes;
      next += bytes;
    }
  }
}
