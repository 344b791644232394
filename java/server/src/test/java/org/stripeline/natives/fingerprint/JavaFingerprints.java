// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import java.nio.ByteBuffer;

/** Computes fingerprints without the native library. */
public final class JavaFingerprints {
  private JavaFingerprints() {}

  /** Returns the fingerprints of windows of a block with these bytes. */
  public static byte[][] of(FingerprintFunction function, byte[] block, int first, int count) {
    Fingerprint fingerprint = new Fingerprint(function, false);
    byte[][] windows = new byte[count][];
    for (int i = 0; i < count; i++) {
      int start = Math.min(block.length, (first + i) * function.windowBytes());
      int end = Math.min(block.length, start + function.windowBytes());
      fingerprint.update(ByteBuffer.wrap(block, start, end - start));
      windows[i] = fingerprint.take();
    }
    return windows;
  }
}
