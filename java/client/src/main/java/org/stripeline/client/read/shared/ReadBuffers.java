// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.stripeline.natives.Ticker;

/**
 * Buffers for fetched spans, which are kept for reuse, and the limit for the buffers of all
 * streams. Sizes are powers of two, or multiples of a mebibyte above one mebibyte.
 *
 * <p>A caller reserves the memory of a range before it requests any of it. Read-ahead may use three
 * quarters of the limit and never waits. Ranges that a caller needs now may use all of it; if that
 * is not enough, the caller reclaims the buffers of streams that are not reading and waits for
 * those that are. It holds no buffers while it waits, and callers that hold some wait only for
 * DataNodes, so the wait ends. The wait also has a timeout, after which a caller exceeds the limit
 * with a small range. Memory that a read needs later, such as sources for decoding, is counted but
 * not limited.
 *
 * <p>Callers are served in the order in which they began to wait. Returned memory wakes only the
 * callers that it serves; only the first in the queue reclaims buffers.
 */
public final class ReadBuffers {
  private static final int LEAST_BITS = 12;
  private static final int LARGE_BYTES = 1 << 20;
  private static final int CLASSES = 64;

  /** The request of a waiter to which the JVM refused memory: any returned buffer. */
  private static final long ANY_BUFFER = -1;

  /**
   * The interval at which the first waiter looks for streams that have stopped reading, which send
   * no notification.
   */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * The time after its deadline for which a caller still reclaims buffers, because others may get
   * them first.
   */
  private static final long RECLAIM_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Waiting callers park in real time, so their deadlines are times of the system's clock. */
  private static final Ticker TICKER = Ticker.SYSTEM;

  private final long limit;

  /**
   * The limit for buffers in use and kept. It exceeds the limit for use, because buffers differ in
   * size and dropped buffers are freed only by the garbage collector.
   */
  private final long totalMax;

  private final IdleWindows windows;
  private final long timeoutNanos;
  private final Allocator allocator;
  private final AtomicLong idleBytes = new AtomicLong();
  private final AtomicLong usedBytes = new AtomicLong();

  /** Waiting callers, in the order of arrival. Guarded by itself. */
  private final ArrayDeque<Waiter> queue = new ArrayDeque<>();

  /** The size of the queue, changed with its lock held. */
  private volatile int waiting;

  private final Shelf direct = new Shelf();
  private final Shelf heap = new Shelf();

  /**
   * Creates a pool.
   *
   * @param limit the maximum bytes of buffers in use; half as many more are kept
   * @param windows the windows that hold buffers of this pool
   * @param timeoutMillis the maximum time that a caller waits
   */
  public ReadBuffers(long limit, IdleWindows windows, long timeoutMillis) {
    this(
        limit,
        windows,
        timeoutMillis,
        (size, isDirect) -> isDirect ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size));
  }

  /** Creates a pool with an allocator, which may throw OutOfMemoryError. */
  public ReadBuffers(long limit, IdleWindows windows, long timeoutMillis, Allocator allocator) {
    this.limit = limit;
    this.totalMax = limit + limit / 2;
    this.windows = windows;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    this.allocator = allocator;
  }

  /** Returns whether a fault is, or was caused by, the JVM's refusal of memory. */
  public static boolean isRefusal(Throwable fault) {
    return fault instanceof OutOfMemoryError || fault.getCause() instanceof OutOfMemoryError;
  }

  /** Returns the windows that hold buffers of this pool. */
  public IdleWindows windows() {
    return windows;
  }

  /**
   * Reserves bytes that a caller needs now; returns false if there is no room or other callers
   * wait.
   */
  public boolean tryReserve(long bytes) {
    return bytes == 0 || waiting == 0 && tryReserve(bytes, limit);
  }

  /** Returns the maximum bytes that a caller should request, so that others get as much. */
  public long share() {
    return usedBytes.get() <= limit / 2 ? limit : limit / Math.max(1, windows.size());
  }

  /** Reserves bytes for read-ahead; returns whether there is room for them. */
  public boolean tryReserveAhead(long bytes) {
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
   * Reserves bytes that a caller needs now, waiting until there is room for them; there always is
   * if no other memory is in use.
   *
   * @return whether they are reserved; false if the wait was cancelled
   */
  public boolean reserve(long bytes, Waiter waiter) throws InterruptedIOException {
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

  /** Returns the deadline of a caller that begins to wait now, by {@link Ticker#SYSTEM}. */
  public long waitsUntil() {
    return TICKER.nanos() + timeoutNanos;
  }

  /**
   * Reclaims buffers of a stream that is not reading, or waits for those of one that is, after the
   * JVM has refused memory.
   *
   * @param end the deadline
   * @return whether to try again; false after the deadline or if the wait was cancelled
   */
  public boolean awaitRoom(long end, Waiter waiter) throws InterruptedIOException {
    return waiter.await(ANY_BUFFER, end);
  }

  /** Returns a waiter for a caller, which waits for one request at a time. */
  public Waiter newWaiter() {
    return new Waiter();
  }

  /** Serves the callers at the head of the queue as far as there is room. */
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

  /** Returns memory that was reserved and not taken. */
  public void unreserve(long bytes) {
    if (bytes > 0) {
      usedBytes.addAndGet(-bytes);
      if (waiting > 0) {
        serve(true);
      }
    }
  }

  /** Returns a cleared buffer of at least that capacity; its content is arbitrary. */
  public ByteBuffer take(int bytes, boolean isDirect) {
    return take(bytes, isDirect, 0);
  }

  /**
   * Returns a buffer of at least that capacity of which part is already reserved.
   *
   * @param reserved bytes of the buffer that are already counted, at most its size
   */
  public ByteBuffer take(int bytes, boolean isDirect, long reserved) {
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
      // Kept buffers may occupy the memory that is lacking.
      drop(Long.MAX_VALUE);
      return allocator.allocate(size, isDirect);
    }
  }

  /** Drops kept buffers if kept and used buffers of all sizes exceed the limit. */
  private void dropBeyondLimit() {
    if (idleBytes.get() > 0) {
      drop(usedBytes.get() + idleBytes.get() - totalMax);
    }
  }

  private void drop(long bytes) {
    long dropped = direct.drop(bytes, idleBytes);
    heap.drop(bytes - dropped, idleBytes);
  }

  /** Returns a buffer to the pool. */
  public void give(ByteBuffer buffer) {
    int size = buffer.capacity();
    Queue<ByteBuffer> queue = (buffer.isDirect() ? direct : heap).queue(size);
    if (queue != null && idleBytes.addAndGet(size) + usedBytes.get() - size <= totalMax) {
      queue.add(buffer);
    } else if (queue != null) {
      idleBytes.addAndGet(-size);
    }
    unreserve(size);
  }

  /** Returns the bytes of all buffers that are taken or reserved. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** Returns the bytes of buffers that are kept. */
  public long idleBytes() {
    return idleBytes.get();
  }

  /** Returns the capacity of a buffer for {@code bytes} bytes. */
  public static int sizeFor(int bytes) {
    if (bytes > LARGE_BYTES) {
      return (int)
          Math.min(Integer.MAX_VALUE, (bytes + LARGE_BYTES - 1L) / LARGE_BYTES * LARGE_BYTES);
    }
    return Math.max(1 << LEAST_BITS, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
  }

  /** A caller that may have to wait, with a flag for its cancellation. */
  public final class Waiter {
    private volatile boolean isCancelled;

    // Guarded by the queue; volatile fields are also read without the lock.
    private long wanted;
    private Thread thread;
    private volatile boolean isServed;

    private Waiter() {}

    /** Ends the current wait and all later ones. */
    public void cancel() {
      isCancelled = true;
      Thread waits;
      synchronized (queue) {
        waits = thread;
      }
      LockSupport.unpark(waits);
    }

    /** Returns whether its waits have been ended. */
    public boolean isCancelled() {
      return isCancelled;
    }

    /**
     * Waits in the queue; returns whether the request was served, or should be retried, before the
     * deadline.
     */
    private boolean await(long bytes, long end) throws InterruptedIOException {
      enter(bytes);
      boolean done = false;
      try {
        while (!isServed && !isCancelled) {
          long left = end - TICKER.nanos();
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
            // The garbage collector may have freed the memory that the JVM lacked.
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
      // The request may have been served until the waiter left the queue.
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
      // There may be room since the caller's last check.
      serve(false);
    }

    private boolean isFirst() {
      synchronized (queue) {
        return queue.peek() == this;
      }
    }

    /** Leaves the queue and wakes the next waiter, which now reclaims buffers. */
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

  /** Allocates buffers. */
  public interface Allocator {
    /** Returns a new buffer. */
    ByteBuffer allocate(int size, boolean isDirect);
  }

  private static final class Shelf {
    private final Queue<ByteBuffer>[] queues = newQueues();

    /** Returns the queue for buffers of {@code size} bytes, null if such buffers are not kept. */
    Queue<ByteBuffer> queue(int size) {
      int index =
          size <= LARGE_BYTES
              ? Integer.numberOfTrailingZeros(size) - LEAST_BITS
              : size / LARGE_BYTES + 20 - LEAST_BITS;
      return index < CLASSES ? queues[index] : null;
    }

    /**
     * Drops at least {@code bytes} bytes of kept buffers, or all of them; returns the bytes
     * dropped.
     */
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
