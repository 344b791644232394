// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Buffers that streams take and give back, and the bound for those of all writers. What is given
 * back is kept for the next stripe, up to a bound of bytes; the rest is left to the garbage
 * collector.
 *
 * <p>A stripe reserves all of its cells, of data and parity, and its checksums before it takes its
 * first byte. But the first of a stream begins with one cell, for there are many small files: it
 * reserves all before its second cell, or what it sends before it is sent. Beyond half of the bound
 * a stream has one stripe only. Beyond the bound streams wait: first those whose stripe grows, then
 * those that have none; first come, first served.
 *
 * <p>There is no deadlock: a stripe begins only where there is room for all of its cells. So there
 * is room for one of the stripes that grow, or one has grown since the last began, and gives back
 * all of its memory. A stream whose stripe has grown needs no other to fill, encode and send it; it
 * waits for DataNodes only, and time-outs end that wait. But a stream can hold a stripe without
 * being written to, for instance because the same thread waits here for another stream. So the wait
 * is bounded too: when no buffer has been taken or given back for a while, one stream goes on
 * beyond the bound. That while is short unless stripes are on their way to DataNodes, whose
 * acknowledgements give buffers back. Where the JVM itself refuses memory, the stream keeps its
 * reservation, waits for buffers of others in the same way, and fails in the end.
 */
public final class CellPool {
  /** For how long nothing must happen before a stream goes on beyond the bound. */
  private static final long STILL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The same while DataNodes have something to acknowledge. */
  private static final long STILL_SENDING_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** After which the JVM is asked again for memory that it has refused. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long keptMax;
  private final long bytesMax;
  private final LongSupplier nanoClock;
  private final Map<Integer, ArrayDeque<ByteBuffer>> direct = new HashMap<>();
  private final Map<Integer, ArrayDeque<ByteBuffer>> heap = new HashMap<>();

  /** Those that wait for a stripe to grow, in their order. */
  private final ArrayDeque<Object> growing = new ArrayDeque<>();

  /** Those that wait for a stripe to begin, in their order. */
  private final ArrayDeque<Object> beginning = new ArrayDeque<>();

  private long kept;
  private long taken;
  private long takenBytes;
  private long reserved;
  private int sending;

  /** When a reservation or a buffer was last taken or given back. */
  private long changedNanos;

  /**
   * Creates a pool.
   *
   * @param keptMax most bytes that are kept unused
   * @param bytesMax most bytes in use and kept
   */
  public CellPool(long keptMax, long bytesMax) {
    this(keptMax, bytesMax, System::nanoTime);
  }

  CellPool(long keptMax, long bytesMax, LongSupplier nanoClock) {
    this.keptMax = keptMax;
    this.bytesMax = bytesMax;
    this.nanoClock = nanoClock;
    this.changedNanos = nanoClock.getAsLong();
  }

  /** Reserves the memory of a further stripe of a stream; returns whether there is room for it. */
  synchronized boolean tryReserveMore(long bytes) {
    if (!growing.isEmpty() || !beginning.isEmpty() || reserved + bytes > bytesMax / 2) {
      return false;
    }
    return reserveNow(bytes);
  }

  /**
   * Reserves memory of a stream's only stripe if there is room, and no other waits for it.
   *
   * @param held bytes that the stripe has reserved; 0 if it begins
   * @param bytes what is reserved now
   * @param room bytes for which there must be room: what it may reserve until it is sent
   * @return whether it was reserved
   */
  synchronized boolean tryReserve(long held, long bytes, long room) {
    return growing.isEmpty()
        && (held > 0 || beginning.isEmpty())
        && hasRoom(held, room)
        && reserveNow(bytes);
  }

  /**
   * Reserves memory of a stream's only stripe as {@link #tryReserve} does, waiting for that of
   * other streams.
   *
   * @param isCancelled whether to return at once, asked again at every {@link #wake}
   * @return whether it was reserved; else it was cancelled
   */
  synchronized boolean reserve(long held, long bytes, long room, BooleanSupplier isCancelled)
      throws InterruptedIOException {
    ArrayDeque<Object> queue = held > 0 ? growing : beginning;
    Object turn = new Object();
    queue.add(turn);
    try {
      while (!isCancelled.getAsBoolean()) {
        long left = Long.MAX_VALUE;
        if (queue.peek() == turn && (held > 0 || growing.isEmpty())) {
          long still = sending > 0 ? STILL_SENDING_NANOS : STILL_NANOS;
          left = changedNanos + still - nanoClock.getAsLong();
          if (left <= 0 || hasRoom(held, room)) {
            return reserveNow(bytes);
          }
        }
        TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, STILL_SENDING_NANOS));
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
    reserved += bytes;
    changed();
    return true;
  }

  private static InterruptedIOException interrupted(InterruptedException cause) {
    InterruptedIOException told =
        new InterruptedIOException("Interrupted while waiting for the buffers of other writers");
    told.initCause(cause);
    return told;
  }

  /** Gives a reservation back, after the buffers. */
  synchronized void unreserve(long bytes) {
    reserved -= bytes;
    changed();
    notifyAll();
  }

  /** Takes note that a stripe needs its writer no more: DataNodes will have it given back. */
  synchronized void startedSending() {
    sending++;
    changed();
  }

  /** Takes note that such a stripe is given back. */
  synchronized void endedSending() {
    sending--;
  }

  /** Has those that wait look whether they are cancelled. */
  synchronized void wake() {
    notifyAll();
  }

  private void changed() {
    changedNanos = nanoClock.getAsLong();
  }

  /**
   * Returns an empty buffer of that capacity, with any content.
   *
   * @param isCancelled whether to wait no longer for memory, asked again at every {@link #wake}
   * @throws IOException if the JVM has no memory for it, and other streams gave none back in time
   *     or the wait was cancelled
   */
  public ByteBuffer take(int capacity, boolean outsideHeap, BooleanSupplier isCancelled)
      throws IOException {
    ByteBuffer buffer = takeKept(capacity, outsideHeap);
    if (buffer == null) {
      buffer = allocate(capacity, outsideHeap, isCancelled);
    }
    synchronized (this) {
      taken++;
      takenBytes += capacity;
      changed();
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

  /** Makes room among what is kept, which may be of other sizes. */
  private synchronized void dropKeptBeyond(long bytes) {
    for (Map<Integer, ArrayDeque<ByteBuffer>> bySize : Arrays.asList(direct, heap)) {
      for (ArrayDeque<ByteBuffer> unused : bySize.values()) {
        while (kept > bytes && !unused.isEmpty()) {
          kept -= unused.pollFirst().capacity();
        }
      }
    }
  }

  /**
   * Waits for a buffer of another stream.
   *
   * @return null if allocating one may succeed by now
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
    long left = changedNanos + STILL_SENDING_NANOS - nanoClock.getAsLong();
    if (left <= 0) {
      // The buffers of the stream that fails come back: let the next one wait for them.
      changed();
      throw new IOException(
          "Cannot get "
              + capacity
              + " bytes for a cell: the JVM has no memory, and other writers gave none back in "
              + TimeUnit.NANOSECONDS.toSeconds(STILL_SENDING_NANOS)
              + " s; raise "
              + (outsideHeap ? "-XX:MaxDirectMemorySize" : "-Xmx")
              + ", or write fewer files at once",
          cause);
    }
    try {
      TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, RETRY_NANOS));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    return takeKept(capacity, outsideHeap);
  }

  /** Takes a buffer back, which nobody may use any more. */
  public synchronized void give(ByteBuffer buffer) {
    int capacity = buffer.capacity();
    taken--;
    takenBytes -= capacity;
    if (kept + capacity <= keptMax && takenBytes + kept + capacity <= bytesMax) {
      kept += capacity;
      (buffer.isDirect() ? direct : heap)
          .computeIfAbsent(capacity, any -> new ArrayDeque<>())
          .addLast(buffer);
    }
    changed();
    notifyAll();
  }

  /** Returns the number of buffers that are taken and not yet given back. */
  public synchronized long taken() {
    return taken;
  }

  /** Returns the bytes of buffers that are taken and not yet given back. */
  synchronized long takenBytes() {
    return takenBytes;
  }

  /** Returns the bytes kept unused. */
  public synchronized long keptBytes() {
    return kept;
  }

  /** Returns the bytes that stripes have reserved. */
  synchronized long reservedBytes() {
    return reserved;
  }
}
