// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Buffers for fetched spans, kept for the next use up to a bound. Sizes are powers of two, or
 * multiples of a mebibyte above one. It also counts what is out, by which read-ahead is bounded.
 */
final class ReadBuffers {
  private static final int LEAST_BITS = 12;
  private static final int LARGE_BYTES = 1 << 20;
  private static final int CLASSES = 64;

  private final long kept;
  private final AtomicLong idleBytes = new AtomicLong();
  private final AtomicLong usedBytes = new AtomicLong();
  private final Shelf direct = new Shelf();
  private final Shelf heap = new Shelf();

  /**
   * Creates a pool.
   *
   * @param kept most bytes of idle buffers that it keeps
   */
  ReadBuffers(long kept) {
    this.kept = kept;
  }

  /** Returns a buffer of at least that capacity, cleared; its content is arbitrary. */
  ByteBuffer take(int bytes, boolean isDirect) {
    int size = sizeFor(bytes);
    usedBytes.addAndGet(size);
    Queue<ByteBuffer> queue = (isDirect ? direct : heap).queue(size);
    ByteBuffer buffer = queue == null ? null : queue.poll();
    if (buffer != null) {
      idleBytes.addAndGet(-size);
      buffer.clear();
      return buffer;
    }
    return isDirect ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
  }

  /** Takes a buffer back. */
  void give(ByteBuffer buffer) {
    int size = buffer.capacity();
    usedBytes.addAndGet(-size);
    Queue<ByteBuffer> queue = (buffer.isDirect() ? direct : heap).queue(size);
    if (queue != null && idleBytes.addAndGet(size) <= kept) {
      queue.add(buffer);
    } else if (queue != null) {
      idleBytes.addAndGet(-size);
    }
  }

  /** Returns the bytes of all buffers that are out. */
  long usedBytes() {
    return usedBytes.get();
  }

  private static int sizeFor(int bytes) {
    if (bytes > LARGE_BYTES) {
      return (int) Math.min(Integer.MAX_VALUE, (bytes + LARGE_BYTES - 1L) / LARGE_BYTES * LARGE_BYTES);
    }
    return Math.max(1 << LEAST_BITS, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
  }

  private static final class Shelf {
    private final Queue<ByteBuffer>[] queues = newQueues();

    /** Returns the queue for that size, null if such buffers are not kept. */
    Queue<ByteBuffer> queue(int size) {
      int index =
          size <= LARGE_BYTES
              ? Integer.numberOfTrailingZeros(size) - LEAST_BITS
              : size / LARGE_BYTES + 20 - LEAST_BITS;
      return index < CLASSES ? queues[index] : null;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Queue<ByteBuffer>[] newQueues() {
      Queue<ByteBuffer>[] queues = new Queue[CLASSES];
      for (int i = 0; i < CLASSES; i++) {
        queues[i] = new ConcurrentLinkedQueue<>();
      }
      return queues;
    }
  }
}
