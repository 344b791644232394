// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.nio.ByteBuffer;

/**
 * The method of the native library for fingerprints, as crates/jni exports it; it repeats the
 * checks without which behaviour would be undefined.
 */
final class FingerprintBridge {
  private FingerprintBridge() {}

  /**
   * Adds bytes of a window to its sums.
   *
   * @param coefficients a direct buffer with those of the whole window, row by row
   * @param sums the sums, 64 bytes each
   * @param position bytes of the window that were added before
   * @param bytes a direct buffer
   * @param offset the index of the first byte to add
   * @param length bytes to add
   * @param checksumKind 0 for CRC-32C, 1 for CRC-32
   * @param bytesPerChecksum bytes that each checksum covers
   * @param checksums receives the checksums of the bytes; null to compute none
   */
  static native void update(
      ByteBuffer coefficients,
      byte[] sums,
      int position,
      ByteBuffer bytes,
      int offset,
      int length,
      int checksumKind,
      int bytesPerChecksum,
      int[] checksums);
}
