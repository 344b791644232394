// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A pool of direct buffers of one size. The tasks limit the number of buffers in use; as many as
 * they may need are kept, since direct buffers are only freed by garbage collection.
 */
public final class BufferPool {
  private final int size;
  private final int keep;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private ByteBuffer zeros;
  private int out;

  /**
   * Creates an empty pool.
   *
   * @param size bytes of each buffer
   * @param keep maximum number of unused buffers that are kept
   */
  public BufferPool(int size, int keep) {
    this.size = size;
    this.keep = keep;
  }

  /** Returns a buffer with arbitrary contents. */
  synchronized ByteBuffer take() {
    ByteBuffer kept = free.poll();
    ByteBuffer buffer = kept == null ? ByteBuffer.allocateDirect(size) : kept;
    out++;
    return buffer;
  }

  /** Returns an unused buffer to the pool. */
  synchronized void give(ByteBuffer buffer) {
    out--;
    if (free.size() < keep) {
      free.push(buffer);
    }
  }

  /**
   * Returns a shared buffer of zeros with its own position and limit; it must not be written to.
   */
  synchronized ByteBuffer zeros() {
    if (zeros == null) {
      zeros = ByteBuffer.allocateDirect(size);
    }
    return zeros.duplicate();
  }

  /** Returns the bytes of all buffers, in use or kept. */
  public synchronized long bytes() {
    return (long) size * (out + free.size() + (zeros == null ? 0 : 1));
  }
}
