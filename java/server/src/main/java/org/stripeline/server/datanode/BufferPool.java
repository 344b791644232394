// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

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
  private ByteBuffer zeros;
  private int out;

  BufferPool(int size, int keep) {
    this.size = size;
    this.keep = keep;
  }

  /** Returns a buffer, of any contents. */
  synchronized ByteBuffer take() {
    ByteBuffer kept = free.poll();
    ByteBuffer buffer = kept == null ? ByteBuffer.allocateDirect(size) : kept;
    out++;
    return buffer;
  }

  /** Takes a buffer back that nobody uses any more. */
  synchronized void give(ByteBuffer buffer) {
    out--;
    if (free.size() < keep) {
      free.push(buffer);
    }
  }

  /** Returns a buffer of zeros that nobody may write to, with a position and limit of its own. */
  synchronized ByteBuffer zeros() {
    if (zeros == null) {
      zeros = ByteBuffer.allocateDirect(size);
    }
    return zeros.duplicate();
  }

  /** Returns the bytes of all buffers, out or kept. */
  synchronized long bytes() {
    return (long) size * (out + free.size() + (zeros == null ? 0 : 1));
  }
}
