// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The bytes of a file, and buffers between guards to read them into. */
final class ExpectedBytes {
  static final int GUARD_BYTES = 8;
  private static final byte GUARD = 0x5a;

  private final byte[] expected;

  ExpectedBytes(byte[] expected) {
    this.expected = expected;
  }

  /** Returns an array with room for a read between guards. */
  static byte[] guarded(int length) {
    byte[] bytes = new byte[length + 2 * GUARD_BYTES];
    Arrays.fill(bytes, GUARD);
    return bytes;
  }

  /** Returns a buffer that is positioned and limited for a read between guards. */
  static ByteBuffer buffer(int length, boolean direct) {
    int size = length + 2 * GUARD_BYTES;
    ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    while (buffer.hasRemaining()) {
      buffer.put(GUARD);
    }
    buffer.position(GUARD_BYTES).limit(GUARD_BYTES + length);
    return buffer;
  }

  /** Returns the whole content of a buffer with its guards, after checking its position. */
  static byte[] content(ByteBuffer buffer, int length, int count) throws Finding {
    int at = GUARD_BYTES + Math.max(count, 0);
    if (buffer.position() != at || buffer.limit() != GUARD_BYTES + length) {
      throw new Finding(
          Finding.Kind.BROKEN_CONTRACT,
          "after a read of " + count + " bytes the buffer is " + buffer,
          null);
    }
    byte[] bytes = new byte[buffer.capacity()];
    buffer.clear();
    buffer.get(bytes);
    return bytes;
  }

  /** Checks what a read returned, which may read less than was asked for. */
  void checkCount(int count, long at, int length) throws Finding {
    boolean right;
    if (length == 0) {
      right = count == 0 || count == -1 && at >= expected.length;
    } else if (at >= expected.length) {
      right = count == -1;
    } else {
      right = count >= 1 && count <= Math.min(length, expected.length - at);
    }
    if (!right) {
      throw new Finding(
          Finding.Kind.BROKEN_CONTRACT,
          "a read of " + length + " bytes at " + at + " returned " + count,
          null);
    }
  }

  /** Compares what was read, and the guards around it. */
  void compare(byte[] guarded, long at, int count, int length) throws Finding {
    int start = (int) at;
    int wrong =
        Arrays.mismatch(guarded, GUARD_BYTES, GUARD_BYTES + count, expected, start, start + count);
    if (wrong >= 0) {
      int bytes = 0;
      for (int i = 0; i < count; i++) {
        bytes += guarded[GUARD_BYTES + i] == expected[start + i] ? 0 : 1;
      }
      throw new Finding(
          Finding.Kind.WRONG_BYTES,
          bytes + " of " + count + " bytes from " + at + ", first at " + (at + wrong),
          null);
    }
    for (int i = 0; i < GUARD_BYTES; i++) {
      if (guarded[i] != GUARD || guarded[GUARD_BYTES + length + i] != GUARD) {
        throw new Finding(Finding.Kind.BROKEN_CONTRACT, "wrote outside the range asked for", null);
      }
    }
  }
}
