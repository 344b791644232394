// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Writes buffers to a stream that accepts only arrays. */
public final class PacketCopy {
  /**
   * Small enough for a slice to stay in the second-level cache between the copy and the system
   * call.
   */
  private static final int SLICE = 64 << 10;

  private static final ThreadLocal<byte[]> SLICES = ThreadLocal.withInitial(() -> new byte[SLICE]);

  private PacketCopy() {}

  /** Writes the remaining bytes of the buffer. */
  public static void write(ByteBuffer from, OutputStream out) throws IOException {
    if (from.hasArray()) {
      writeArray(from, out);
      return;
    }
    byte[] slice = SLICES.get();
    while (from.hasRemaining()) {
      int count = Math.min(slice.length, from.remaining());
      from.get(slice, 0, count);
      out.write(slice, 0, count);
    }
  }

  /**
   * Writes an array in slices, because a socket copies the whole range that it is given, however
   * little of it it can send.
   */
  private static void writeArray(ByteBuffer from, OutputStream out) throws IOException {
    int start = from.arrayOffset() + from.position();
    int end = from.arrayOffset() + from.limit();
    for (int at = start; at < end; at += SLICE) {
      out.write(from.array(), at, Math.min(SLICE, end - at));
    }
    from.position(from.limit());
  }
}
