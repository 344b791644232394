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
  private final long takenMax;
  private final Map<Integer, ArrayDeque<ByteBuffer>> direct = new HashMap<>();
  private final Map<Integer, ArrayDeque<ByteBuffer>> heap = new HashMap<>();
  private long kept;
  private long taken;
  private long takenBytes;

  /**
   * Creates a pool.
   *
   * @param keptMax most bytes that are kept unused
   * @param takenMax bytes in use from which on {@link #isTight()}
   */
  public CellPool(long keptMax, long takenMax) {
    this.keptMax = keptMax;
    this.takenMax = takenMax;
  }

  /** Whether so much is in use that streams should make do with one stripe each. */
  synchronized boolean isTight() {
    return takenBytes >= takenMax;
  }

  /** Returns an empty buffer of that capacity, with any content. */
  public ByteBuffer take(int capacity, boolean outsideHeap) {
    ByteBuffer buffer = takeKept(capacity, outsideHeap);
    if (buffer == null) {
      buffer = allocate(capacity, outsideHeap);
    }
    synchronized (this) {
      taken++;
      takenBytes += capacity;
    }
    buffer.clear();
    return buffer;
  }

  private synchronized ByteBuffer takeKept(int capacity, boolean outsideHeap) {
    ArrayDeque<ByteBuffer> unused = (outsideHeap ? direct : heap).get(capacity);
    // The last one given back is the likeliest to be in the cache still.
    ByteBuffer buffer = unused == null ? null : unused.pollLast();
    if (buffer != null) {
      kept -= capacity;
    }
    return buffer;
  }

  private ByteBuffer allocate(int capacity, boolean outsideHeap) {
    if (!outsideHeap) {
      return ByteBuffer.allocate(capacity);
    }
    try {
      return ByteBuffer.allocateDirect(capacity);
    } catch (OutOfMemoryError e) {
      // Buffers of other sizes may be what there is no room beside.
      dropKept();
      return ByteBuffer.allocateDirect(capacity);
    }
  }

  private synchronized void dropKept() {
    direct.clear();
    heap.clear();
    kept = 0;
  }

  /** Takes a buffer back, which nobody may use any more. */
  public synchronized void give(ByteBuffer buffer) {
    taken--;
    takenBytes -= buffer.capacity();
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
