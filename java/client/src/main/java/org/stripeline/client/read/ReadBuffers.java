// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Buffers for fetched spans, kept for the next use, and the bound for those of all streams. Sizes
 * are powers of two, or multiples of a mebibyte above one.
 *
 * <p>A caller reserves what a range takes before it asks for any of it. What is read ahead gets
 * three quarters of the bound and never waits. What a caller needs now gets all of it; where that
 * is not enough, it reclaims the buffers of streams that do not read, and waits for those that do.
 * It holds no buffers while it waits, and those that do hold some wait for DataNodes only, so the
 * wait ends. It is bounded all the same: after it a caller goes on beyond the bound, with a small
 * range. What reads find out later that they need, such as sources to decode from, is counted but
 * not held back.
 *
 * <p>Callers are served in the order in which they began to wait. What is given back wakes those
 * that it serves and no others; only the first in the queue reclaims buffers.
 */
final class ReadBuffers {
  private static final int LEAST_BITS = 12;
  private static final int LARGE_BYTES = 1 << 20;
  private static final int CLASSES = 64;

  /** What a waiter wants that was refused memory by the JVM: any buffer that is given back. */
  private static final long ANY_BUFFER = -1;

  /** Streams that stop reading do not say so; this often the first in the queue looks for them. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * A caller whose time is over still takes buffers back for this long; others may get them first.
   */
  private static final long RECLAIM_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long limit;

  /**
   * For buffers in use and kept: they differ in size, and what is dropped is freed by the
   * collector.
   */
  private final long totalMax;

  private final IdleWindows windows;
  private final long timeoutNanos;
  private final Allocator allocator;
  private final AtomicLong idleBytes = new AtomicLong();
  private final AtomicLong usedBytes = new AtomicLong();

  /** Callers that wait, in the order of their coming. Guarded by itself. */
  private final ArrayDeque<Waiter> queue = new ArrayDeque<>();

  /** The size of the queue, changed under its lock. */
  private volatile int waiting;

  private final Shelf direct = new Shelf();
  private final Shelf heap = new Shelf();

  /**
   * Creates a pool.
   *
   * @param limit most bytes of buffers in use; half as many more are kept
   * @param windows the windows that hold buffers of this pool
   * @param timeoutMillis longest time that a caller waits
   */
  ReadBuffers(long limit, IdleWindows windows, long timeoutMillis) {
    this(
        limit,
        windows,
        timeoutMillis,
        (size, isDirect) -> isDirect ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size));
  }

  /** Creates a pool whose buffers come from an allocator, which may throw OutOfMemoryError. */
  ReadBuffers(long limit, IdleWindows windows, long timeoutMillis, Allocator allocator) {
    this.limit = limit;
    this.totalMax = limit + limit / 2;
    this.windows = windows;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    this.allocator = allocator;
  }

  /** Returns the windows that hold buffers of this pool. */
  IdleWindows windows() {
    return windows;
  }

  /** Reserves bytes for what a caller needs now; returns whether there is room and no one waits. */
  boolean tryReserve(long bytes) {
    return bytes == 0 || waiting == 0 && tryReserve(bytes, limit);
  }

  /** Returns how much a caller should ask for at most, so that others get as much. */
  long share() {
    return usedBytes.get() <= limit / 2 ? limit : limit / Math.max(1, windows.size());
  }

  /** Reserves bytes for what is read ahead; returns whether there is room for them. */
  boolean tryReserveAhead(long bytes) {
    return bytes == 0 || waiting == 0 && tryReserve(bytes, limit - limit / 4);
  }

  private boolean tryReserve(long bytes, long most) {
    while (true) {
      long used = usedBytes.get();
      if (bytes > 0 && used + bytes > most) {
        return false;
      }
      if (usedBytes.compareAndSet(used, used + bytes)) {
        return true;
      }
    }
  }

  /**
   * Reserves bytes for what a caller needs now, waiting until there is room for them; where nothing
   * else is in use, there is.
   *
   * @return whether they are reserved; else the wait was cancelled
   */
  boolean reserve(long bytes, Waiter waiter) throws InterruptedIOException {
    if (tryReserve(bytes)) {
      return true;
    }
    if (!waiter.await(bytes, waitsUntil())) {
      if (waiter.isCancelled()) {
        return false;
      }
      usedBytes.addAndGet(bytes);
    }
    return true;
  }

  /** Returns when a caller that begins to wait now gives up, by {@link System#nanoTime}. */
  long waitsUntil() {
    return System.nanoTime() + timeoutNanos;
  }

  /**
   * Reclaims buffers of a stream that does not read, or waits a while for those of one that does,
   * after the JVM has refused memory.
   *
   * @param end when to give up
   * @return whether it makes sense to try again; not after the end or when the wait was cancelled
   */
  boolean awaitRoom(long end, Waiter waiter) throws InterruptedIOException {
    return waiter.await(ANY_BUFFER, end);
  }

  /** Returns a waiter for a caller, which waits for one thing at a time. */
  Waiter newWaiter() {
    return new Waiter();
  }

  /** Gives the callers at the head of the queue what they wait for, as far as there is room. */
  private void serve(boolean isGivenBack) {
    boolean hasBuffer = isGivenBack;
    synchronized (queue) {
      for (Waiter first; (first = queue.peek()) != null; ) {
        if (first.wanted == ANY_BUFFER) {
          if (!hasBuffer) {
            return;
          }
          hasBuffer = false;
        } else if (!tryReserve(first.wanted, limit) && !usedBytes.compareAndSet(0, first.wanted)) {
          return;
        }
        queue.remove();
        waiting = queue.size();
        first.isServed = true;
        LockSupport.unpark(first.thread);
      }
    }
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("Interrupted while waiting for buffers of other streams");
  }

  /** Gives back what was reserved and not taken. */
  void unreserve(long bytes) {
    if (bytes > 0) {
      usedBytes.addAndGet(-bytes);
      if (waiting > 0) {
        serve(true);
      }
    }
  }

  /** Returns a buffer of at least that capacity, cleared; its content is arbitrary. */
  ByteBuffer take(int bytes, boolean isDirect) {
    return take(bytes, isDirect, 0);
  }

  /**
   * The same, of which some is reserved already.
   *
   * @param reserved which bytes of the buffer need not be counted again, at most its size
   */
  ByteBuffer take(int bytes, boolean isDirect, long reserved) {
    int size = sizeFor(bytes);
    usedBytes.addAndGet(size - reserved);
    Queue<ByteBuffer> queue = (isDirect ? direct : heap).queue(size);
    ByteBuffer buffer = queue == null ? null : queue.poll();
    if (buffer != null) {
      idleBytes.addAndGet(-size);
      buffer.clear();
      return buffer;
    }
    try {
      dropBeyondLimit();
      return allocate(size, isDirect);
    } catch (OutOfMemoryError e) {
      unreserve(size);
      throw e;
    }
  }

  private ByteBuffer allocate(int size, boolean isDirect) {
    try {
      return allocator.allocate(size, isDirect);
    } catch (OutOfMemoryError e) {
      // What idles here may be what is lacking.
      drop(Long.MAX_VALUE);
      return allocator.allocate(size, isDirect);
    }
  }

  /** Buffers of other sizes count too. */
  private void dropBeyondLimit() {
    if (idleBytes.get() > 0) {
      drop(usedBytes.get() + idleBytes.get() - totalMax);
    }
  }

  private void drop(long bytes) {
    long dropped = direct.drop(bytes, idleBytes);
    heap.drop(bytes - dropped, idleBytes);
  }

  /** Takes a buffer back. */
  void give(ByteBuffer buffer) {
    int size = buffer.capacity();
    Queue<ByteBuffer> queue = (buffer.isDirect() ? direct : heap).queue(size);
    if (queue != null && idleBytes.addAndGet(size) + usedBytes.get() - size <= totalMax) {
      queue.add(buffer);
    } else if (queue != null) {
      idleBytes.addAndGet(-size);
    }
    unreserve(size);
  }

  /** Returns the bytes of all buffers that are out or reserved. */
  long usedBytes() {
    return usedBytes.get();
  }

  /** Returns the bytes of buffers that are kept. */
  long idleBytes() {
    return idleBytes.get();
  }

  /** Returns the capacity of a buffer for that many bytes. */
  static int sizeFor(int bytes) {
    if (bytes > LARGE_BYTES) {
      return (int)
          Math.min(Integer.MAX_VALUE, (bytes + LARGE_BYTES - 1L) / LARGE_BYTES * LARGE_BYTES);
    }
    return Math.max(1 << LEAST_BITS, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
  }

  /** A caller that may have to wait, and whether it must not any more. */
  final class Waiter {
    private volatile boolean isCancelled;

    // Guarded by the queue; what is volatile is read without it.
    private long wanted;
    private Thread thread;
    private volatile boolean isServed;

    private Waiter() {}

    /** Ends the wait, and all that are to come. */
    void cancel() {
      isCancelled = true;
      Thread waits;
      synchronized (queue) {
        waits = thread;
      }
      LockSupport.unpark(waits);
    }

    boolean isCancelled() {
      return isCancelled;
    }

    /** Waits in the queue; returns whether it was served, or should try again, before the end. */
    private boolean await(long bytes, long end) throws InterruptedIOException {
      enter(bytes);
      boolean done = false;
      try {
        while (!isServed && !isCancelled) {
          long left = end - System.nanoTime();
          boolean isFirst = isFirst();
          if (isFirst && left > -RECLAIM_NANOS && windows.reclaim()) {
            continue;
          }
          if (left <= 0) {
            break;
          }
          LockSupport.parkNanos(this, isFirst ? Math.min(left, LOOK_NANOS) : left);
          if (Thread.interrupted()) {
            throw interrupted();
          }
          if (isFirst && bytes == ANY_BUFFER) {
            // The collector may have freed what the JVM lacked.
            isServed = true;
          }
        }
        done = true;
      } finally {
        leave();
        if (!done && isServed && bytes != ANY_BUFFER) {
          unreserve(bytes);
        }
      }
      // It may have been served until it left the queue.
      return isServed;
    }

    private void enter(long bytes) {
      synchronized (queue) {
        wanted = bytes;
        isServed = false;
        thread = Thread.currentThread();
        queue.add(this);
        waiting = queue.size();
      }
      // There may be room since it was found lacking.
      serve(false);
    }

    private boolean isFirst() {
      synchronized (queue) {
        return queue.peek() == this;
      }
    }

    /** Leaves the queue and wakes the next, which reclaims buffers from now on. */
    private void leave() {
      synchronized (queue) {
        queue.remove(this);
        waiting = queue.size();
        thread = null;
        if (!queue.isEmpty()) {
          LockSupport.unpark(queue.peek().thread);
        }
      }
      serve(false);
    }
  }

  /** Makes buffers. */
  interface Allocator {
    ByteBuffer allocate(int size, boolean isDirect);
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

    /** Lets go that many bytes of what is kept, or all; returns how many. */
    long drop(long bytes, AtomicLong idleBytes) {
      long dropped = 0;
      for (Queue<ByteBuffer> queue : queues) {
        for (ByteBuffer buffer; dropped < bytes && (buffer = queue.poll()) != null; ) {
          idleBytes.addAndGet(-buffer.capacity());
          dropped += buffer.capacity();
        }
      }
      return dropped;
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
