// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.library.NeedsNativeLibrary;

/** The same tests with the native library, and its native method with random arguments. */
@NeedsNativeLibrary
class NativeFingerprintTest extends FingerprintTest {
  private static final int CALLS = 30_000;

  private final Random random = new Random(72);

  @Override
  boolean isNative() {
    return true;
  }

  /** Each call either succeeds or throws; none may crash the JVM. */
  @Test
  void randomArgumentsNeverCrash() {
    int succeeded = 0;
    int refused = 0;
    for (int i = 0; i < CALLS; i++) {
      byte[] sums = rarely() ? null : new byte[oneOf(0, 1, 63, 64, 64, 128, 128, 256, 320)];
      try {
        FingerprintBridge.update(
            buffer(),
            sums,
            oneOf(0, 0, 0, 0, 5, 64, -1, Integer.MAX_VALUE),
            buffer(),
            oneOf(0, 0, 0, 1, 60, -1, Integer.MAX_VALUE),
            oneOf(0, 1, 50, 64, 64, 200, -1, Integer.MAX_VALUE),
            oneOf(0, 1, 0, 1, 0, 1, 2, -1),
            oneOf(1, 64, 512, 512, 0, -1, Integer.MAX_VALUE),
            random.nextBoolean() ? null : new int[oneOf(0, 1, 1, 3, 100)]);
        succeeded++;
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).startsWith("Cannot ");
        refused++;
        if (sums != null) {
          assertThat(sums).isEqualTo(new byte[sums.length]);
        }
      }
    }
    // Both must be frequent, or the test would verify nothing.
    assertThat(succeeded).isGreaterThan(CALLS / 50);
    assertThat(refused).isGreaterThan(CALLS / 20);
  }

  private ByteBuffer buffer() {
    if (rarely()) {
      return random.nextBoolean() ? null : ByteBuffer.allocate(256);
    }
    ByteBuffer buffer = ByteBuffer.allocateDirect(oneOf(0, 2, 7, 64, 256, 256));
    return random.nextBoolean() ? buffer : buffer.asReadOnlyBuffer();
  }

  private boolean rarely() {
    return random.nextInt(10) == 0;
  }

  private int oneOf(int... values) {
    return values[random.nextInt(values.length)];
  }
}
