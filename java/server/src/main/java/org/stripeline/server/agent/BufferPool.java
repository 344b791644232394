// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Direct buffers of one size that tasks take and give back. How many are out is bounded by the
 * tasks; as many as they may need are kept, since freeing them waits for the collector.
 */
final class BufferPool {
  private final int size;
  private final int keep;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private long outBytes;

  BufferPool(int size, int keep) {
    this.size = size;
    this.keep = keep;
  }

  /** Returns a buffer of that capacity, position 0. */
  synchronized ByteBuffer take(int bytes) {
    outBytes += bytes;
    ByteBuffer kept = bytes == size ? free.poll() : null;
    ByteBuffer buffer = kept == null ? ByteBuffer.allocateDirect(bytes) : kept;
    buffer.clear();
    return buffer;
  }

  /** Takes a buffer back that nobody uses any more. */
  synchronized void give(ByteBuffer buffer) {
    outBytes -= buffer.capacity();
    if (buffer.capacity() == size && free.size() < keep) {
      free.push(buffer);
    }
  }

  /** Returns the bytes of all buffers, out or kept. */
  synchronized long bytes() {
    return outBytes + (long) free.size() * size;
  }
}
