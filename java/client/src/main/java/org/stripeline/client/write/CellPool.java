// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Buffers that streams take and give back, kept up to a bound of bytes. What is given back beyond
 * the bound is left to the garbage collector.
 */
public final class CellPool {
  private final long keptMax;
  private final Map<Integer, ArrayDeque<ByteBuffer>> direct = new HashMap<>();
  private final Map<Integer, ArrayDeque<ByteBuffer>> heap = new HashMap<>();
  private long kept;
  private long taken;

  /** Creates a pool that keeps so many unused bytes at most. */
  public CellPool(long keptMax) {
    this.keptMax = keptMax;
  }

  /** Returns an empty buffer of that capacity, with any content. */
  public ByteBuffer take(int capacity, boolean outsideHeap) {
    synchronized (this) {
      taken++;
      ArrayDeque<ByteBuffer> unused = (outsideHeap ? direct : heap).get(capacity);
      // The last one given back is the likeliest to be in the cache still.
      ByteBuffer buffer = unused == null ? null : unused.pollLast();
      if (buffer != null) {
        kept -= capacity;
        buffer.clear();
        return buffer;
      }
    }
    boolean done = false;
    try {
      ByteBuffer buffer =
          outsideHeap ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
      done = true;
      return buffer;
    } finally {
      if (!done) {
        synchronized (this) {
          taken--;
        }
      }
    }
  }

  /** Takes a buffer back, which nobody may use any more. */
  public synchronized void give(ByteBuffer buffer) {
    taken--;
    if (kept + buffer.capacity() <= keptMax) {
      kept += buffer.capacity();
      (buffer.isDirect() ? direct : heap)
          .computeIfAbsent(buffer.capacity(), any -> new ArrayDeque<>())
          .addLast(buffer);
    }
  }

  /** Returns the number of buffers that are taken and not yet given back. */
  public synchronized long taken() {
    return taken;
  }

  /** Returns the bytes kept unused. */
  public synchronized long keptBytes() {
    return kept;
  }
}
