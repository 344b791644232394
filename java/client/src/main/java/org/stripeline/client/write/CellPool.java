// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.stripeline.natives.Ticker;

/**
 * A pool of buffers for cells, with a limit for the memory of all writers. Returned buffers are
 * kept for the next stripe up to a number of bytes; the garbage collector frees the rest.
 *
 * <p>A stripe reserves the memory of all of its data and parity cells and its checksums before it
 * accepts its first byte. The first stripe of a stream is an exception, because there are many
 * small files: it begins with one cell and reserves the rest before its second cell, or what it
 * sends before it is sent. If more than half of the limit is reserved, a stream may have only one
 * stripe. At the limit, streams wait: those whose stripe grows are served before those without a
 * stripe, each group in the order of arrival.
 *
 * <p>There is no deadlock. A stripe begins only if there is room for all of its cells. Therefore
 * either there is room for one of the growing stripes, or one has grown since the last stripe began
 * and will return all of its memory. A stream whose stripe has grown can fill, encode and send it
 * without any other stream; it waits only for DataNodes, and timeouts bound that wait. A stream
 * can, however, hold a stripe without being written to, for instance because the same thread waits
 * here for another stream. The wait is therefore bounded as well: if no buffer has been taken or
 * returned for a period, one stream exceeds the limit. The period is short unless stripes are being
 * sent to DataNodes, whose acknowledgements return buffers. If the JVM itself refuses memory, the
 * stream keeps its reservation, waits for buffers of other streams in the same way, and finally
 * fails.
 */
public final class CellPool {
  /** The period without a change after which a stream exceeds the limit. */
  private static final long STILL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The same period while acknowledgements from DataNodes are outstanding. */
  private static final long STILL_SENDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The interval between attempts to allocate memory that the JVM has refused. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long keptMax;
  private final long bytesMax;
  private final Ticker ticker;

  // Linked lists: an ArrayDeque that cannot grow throws an OutOfMemoryError although it already
  // contains the new element.
  private final Map<Integer, LinkedList<ByteBuffer>> direct = new HashMap<>();
  private final Map<Integer, LinkedList<ByteBuffer>> heap = new HashMap<>();

  /** Waiters whose stripe grows, in order. */
  private final LinkedList<Object> growing = new LinkedList<>();

  /** Waiters whose stripe begins, in order. */
  private final LinkedList<Object> beginning = new LinkedList<>();

  private long kept;
  private long taken;
  private long takenBytes;
  private long reserved;
  private int sending;

  /** When a reservation or a buffer was last taken or returned. */
  private long changedNanos;

  /**
   * Creates a pool.
   *
   * @param keptMax the maximum bytes that are kept unused
   * @param bytesMax the maximum bytes in use and kept
   */
  public CellPool(long keptMax, long bytesMax) {
    this(keptMax, bytesMax, Ticker.SYSTEM);
  }

  CellPool(long keptMax, long bytesMax, Ticker ticker) {
    this.keptMax = keptMax;
    this.bytesMax = bytesMax;
    this.ticker = ticker;
    this.changedNanos = ticker.nanos();
  }

  /**
   * Reserves the memory of an additional stripe of a stream; returns whether there is room for it.
   */
  synchronized boolean tryReserveMore(long bytes) {
    if (!growing.isEmpty() || !beginning.isEmpty() || reserved + bytes > bytesMax / 2) {
      return false;
    }
    return reserveNow(bytes);
  }

  /**
   * Reserves memory for a stream's only stripe if there is room and no other stream waits before
   * it.
   *
   * @param held bytes that the stripe has reserved; 0 if it begins
   * @param bytes the bytes to reserve now
   * @param room bytes for which there must be room: the most that the stripe may reserve until it
   *     is sent
   * @return whether the memory was reserved
   */
  synchronized boolean tryReserve(long held, long bytes, long room) {
    return growing.isEmpty()
        && (held > 0 || beginning.isEmpty())
        && hasRoom(held, room)
        && reserveNow(bytes);
  }

  /**
   * Reserves memory for a stream's only stripe as {@link #tryReserve} does, waiting for other
   * streams to return memory.
   *
   * @param isCancelled whether to return at once, checked again at every {@link #wake}
   * @return whether the memory was reserved; false if the wait was cancelled
   */
  synchronized boolean reserve(long held, long bytes, long room, BooleanSupplier isCancelled)
      throws InterruptedIOException {
    LinkedList<Object> queue = held > 0 ? growing : beginning;
    Object turn = new Object();
    queue.add(turn);
    try {
      while (!isCancelled.getAsBoolean()) {
        long left = Long.MAX_VALUE;
        if (queue.peek() == turn && (held > 0 || growing.isEmpty())) {
          long still = sending > 0 ? STILL_SENDING_NANOS : STILL_NANOS;
          left = changedNanos + still - ticker.nanos();
          if (left <= 0 || hasRoom(held, room)) {
            return reserveNow(bytes);
          }
        }
        ticker.timedWait(this, Math.min(left, STILL_SENDING_NANOS));
      }
      return false;
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      queue.remove(turn);
      notifyAll();
    }
  }

  private boolean hasRoom(long held, long room) {
    return reserved == held || reserved + room <= bytesMax;
  }

  private boolean reserveNow(long bytes) {
    changed();
    reserved += bytes;
    return true;
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    InterruptedIOException told =
        new InterruptedIOException("Interrupted while waiting for the buffers of other writers");
    told.initCause(cause);
    return told;
  }

  /** Returns a reservation, after the buffers. */
  synchronized void unreserve(long bytes) {
    changed();
    notifyAll();
    reserved -= bytes;
  }

  /**
   * Records that a stripe no longer depends on its writer: acknowledgements from DataNodes will
   * return its memory.
   */
  synchronized void startedSending() {
    changed();
    sending++;
  }

  /** Records that the memory of such a stripe was returned. */
  synchronized void endedSending() {
    sending--;
  }

  /** Wakes all waiters, so that they check whether they are cancelled. */
  synchronized void wake() {
    notifyAll();
  }

  /**
   * Records a change. Callers call it first: if it throws, for example a StackOverflowError,
   * nothing has changed.
   */
  private void changed() {
    changedNanos = ticker.nanos();
  }

  /**
   * Returns a cleared buffer of that capacity with arbitrary content.
   *
   * @param isCancelled whether to stop waiting for memory, checked again at every {@link #wake}
   * @throws IOException if the JVM has no memory for it and either no other stream returned a
   *     buffer in time or the wait was cancelled
   */
  public ByteBuffer take(int capacity, boolean outsideHeap, BooleanSupplier isCancelled)
      throws IOException {
    ByteBuffer buffer = takeKept(capacity, outsideHeap);
    if (buffer == null) {
      buffer = allocate(capacity, outsideHeap, isCancelled);
    }
    synchronized (this) {
      changed();
      taken++;
      takenBytes += capacity;
    }
    buffer.clear();
    return buffer;
  }

  private synchronized ByteBuffer takeKept(int capacity, boolean outsideHeap) {
    LinkedList<ByteBuffer> unused = (outsideHeap ? direct : heap).get(capacity);
    // The buffer that was returned last is the most likely to be still in the processor's cache.
    ByteBuffer buffer = unused == null ? null : unused.pollLast();
    if (buffer != null) {
      kept -= capacity;
    }
    return buffer;
  }

  private synchronized long roomBeside(int capacity) {
    return Math.max(0, bytesMax - takenBytes - capacity);
  }

  private ByteBuffer allocate(int capacity, boolean outsideHeap, BooleanSupplier isCancelled)
      throws IOException {
    while (true) {
      try {
        dropKeptBeyond(roomBeside(capacity));
        return outsideHeap ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
      } catch (OutOfMemoryError e) {
        ByteBuffer given = awaitBuffer(capacity, outsideHeap, isCancelled, e);
        if (given != null) {
          return given;
        }
      }
    }
  }

  /** Drops kept buffers, of any size, until at most {@code bytes} are kept. */
  private synchronized void dropKeptBeyond(long bytes) {
    for (Map<Integer, LinkedList<ByteBuffer>> bySize : Arrays.asList(direct, heap)) {
      for (LinkedList<ByteBuffer> unused : bySize.values()) {
        while (kept > bytes && !unused.isEmpty()) {
          kept -= unused.pollFirst().capacity();
        }
      }
    }
  }

  /**
   * Waits for a buffer of another stream.
   *
   * @return null if an allocation may succeed now
   */
  private synchronized ByteBuffer awaitBuffer(
      int capacity, boolean outsideHeap, BooleanSupplier isCancelled, OutOfMemoryError cause)
      throws IOException {
    if (isCancelled.getAsBoolean()) {
      throw new IOException("Cannot get " + capacity + " bytes for a cell: the write has failed");
    }
    ByteBuffer buffer = takeKept(capacity, outsideHeap);
    if (buffer != null) {
      return buffer;
    }
    if (kept > 0) {
      dropKeptBeyond(0);
      return null;
    }
    long left = changedNanos + STILL_SENDING_NANOS - ticker.nanos();
    if (left <= 0) {
      // The stream that fails will return its buffers: the next waiter gets the full period to wait
      // for them.
      changed();
      throw new IOException(
          "Cannot get "
              + capacity
              + " bytes for a cell: the JVM has no memory, and other writers released none in "
              + TimeUnit.NANOSECONDS.toSeconds(STILL_SENDING_NANOS)
              + " s; raise "
              + (outsideHeap ? "-XX:MaxDirectMemorySize" : "-Xmx")
              + ", or write fewer files at once",
          cause);
    }
    try {
      ticker.timedWait(this, Math.min(left, RETRY_NANOS));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    return takeKept(capacity, outsideHeap);
  }

  /** Returns a buffer to the pool; the caller must no longer use it. */
  public synchronized void give(ByteBuffer buffer) {
    int capacity = buffer.capacity();
    changed();
    notifyAll();
    if (kept + capacity <= keptMax && takenBytes + kept <= bytesMax) {
      (buffer.isDirect() ? direct : heap)
          .computeIfAbsent(capacity, any -> new LinkedList<>())
          .addLast(buffer);
      kept += capacity;
    }
    taken--;
    takenBytes -= capacity;
  }

  Ticker ticker() {
    return ticker;
  }

  /** Returns the number of buffers that are taken and not yet returned. */
  public synchronized long taken() {
    return taken;
  }

  /** Returns the bytes of buffers that are taken and not yet returned. */
  synchronized long takenBytes() {
    return takenBytes;
  }

  /** Returns the bytes that are kept unused. */
  public synchronized long keptBytes() {
    return kept;
  }

  /** Returns the bytes that stripes have reserved. */
  synchronized long reservedBytes() {
    return reserved;
  }
}
