// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.util.DataChecksum;

/**
 * One stripe of a file that is being written: user bytes, then parity and checksums.
 *
 * <p>{@link StripePipeline} passes a stripe from the collecting thread to the encoding thread and
 * then to the sending thread; after that its content does not change. Its buffers return to their
 * pool at the last {@link #release()}, which for a sent stripe happens when DataNodes have
 * acknowledged all of it.
 */
public final class Stripe {
  /** Up to this many bytes, single puts are faster than a bulk put. */
  private static final int FEW_BYTES = 6;

  private final StripeLayout layout;
  private final StripeWindow window;
  private final CellPool pool;
  private final boolean opensGroup;
  private final ByteBuffer[] cells;
  private final int[] sent;
  private final AtomicInteger references = new AtomicInteger(1);
  private boolean groupToOpen;

  /** Bytes of memory that the pool has reserved for this stripe. */
  private long reserved;

  /** The number of user bytes for which memory is reserved. */
  private int capacity;

  private ByteBuffer current;
  private int size;
  private ByteBuffer checksums;

  /** Used as the content of every data cell without user bytes. */
  private ByteBuffer zeros;

  private volatile boolean encoded;
  private boolean isSending;

  Stripe(
      StripeLayout layout, StripeWindow window, CellPool pool, boolean opensGroup, long reserved) {
    this.layout = layout;
    this.window = window;
    this.pool = pool;
    this.opensGroup = opensGroup;
    this.groupToOpen = opensGroup;
    this.cells = new ByteBuffer[layout.units()];
    this.sent = new int[layout.units()];
    this.reserved = reserved;
    this.capacity = reserved < layout.bytes() ? layout.cellSize() : layout.stripeSize();
  }

  /** Returns the sizes. */
  public StripeLayout layout() {
    return layout;
  }

  /** Returns whether this is the first stripe of a block group. */
  public boolean opensGroup() {
    return opensGroup;
  }

  /** Returns true for the first call, if a block group begins with this stripe; otherwise false. */
  boolean takeGroupToOpen() {
    boolean open = groupToOpen;
    groupToOpen = false;
    return open;
  }

  /** Returns the bytes of user data collected. */
  public int size() {
    return size;
  }

  /** Returns whether no more user bytes fit. */
  public boolean isFull() {
    return size == layout.stripeSize();
  }

  /**
   * Reserves memory for one more byte, waiting for other streams to return memory. Has no effect if
   * it throws.
   */
  public void reserve() throws IOException {
    if (size == capacity) {
      grow(layout.bytes());
      capacity = layout.stripeSize();
    }
  }

  private void grow(long bytes) throws IOException {
    if (bytes > reserved) {
      window.grow(reserved, bytes - reserved);
      reserved = bytes;
    }
  }

  /**
   * Adds as many bytes as fit into the current cell and returns their number; memory must be
   * reserved. Adds none if it throws.
   */
  public int put(byte[] bytes, int offset, int length) throws IOException {
    int count = Math.min(length, cellToFill().remaining());
    putNext(bytes, offset, count);
    return count;
  }

  /** Adds one byte; memory must be reserved. */
  public void put(byte value) throws IOException {
    cellToFill();
    putNext(value);
  }

  /** Returns how many bytes fit into both the current cell and the reserved memory. */
  public int room() {
    return current == null ? 0 : Math.min(current.remaining(), capacity - size);
  }

  /** Adds one byte; {@link #room()} must be at least 1. */
  public void putNext(byte value) {
    current.put(value);
    size++;
  }

  /** Adds bytes; {@link #room()} must be at least {@code length}. */
  public void putNext(byte[] bytes, int offset, int length) {
    if (length <= FEW_BYTES) {
      for (int i = 0; i < length; i++) {
        current.put(bytes[offset + i]);
      }
    } else {
      current.put(bytes, offset, length);
    }
    size += length;
  }

  private ByteBuffer cellToFill() throws IOException {
    if (current == null || !current.hasRemaining()) {
      int unit = size / layout.cellSize();
      cells[unit] = take(layout.cellSize());
      current = cells[unit];
    }
    return current;
  }

  /** Returns how many bytes of a unit are sent to its DataNode; padding is never sent. */
  public int length(int unit) {
    if (unit >= layout.dataUnits()) {
      return Math.min(size, layout.cellSize());
    }
    long before = (long) unit * layout.cellSize();
    return (int) Math.max(0, Math.min(layout.cellSize(), size - before));
  }

  /** Returns how many bytes of a unit were sent before the stripe was encoded. */
  public int sent(int unit) {
    return sent[unit];
  }

  /** Records that the first {@code bytes} bytes of a unit have already been sent. */
  public void setSent(int unit, int bytes) {
    sent[unit] = bytes;
  }

  /**
   * Returns the number of bytes of every unit in the encoding, which is the length of a parity
   * unit.
   */
  int encodedLength() {
    return length(layout.dataUnits());
  }

  /**
   * Returns units in the form that the encoder needs: of equal length, short ones padded with
   * zeros.
   */
  ByteBuffer[] padded(int from, int to) throws IOException {
    ByteBuffer[] views = new ByteBuffer[to - from];
    int length = encodedLength();
    for (int unit = from; unit < to; unit++) {
      ByteBuffer view;
      if (unit >= layout.dataUnits()) {
        view = parity(unit).duplicate();
      } else if (cells[unit] != null) {
        view = cells[unit].duplicate();
        view.position(length(unit));
        zero(view, length);
      } else {
        view = zeros().duplicate();
      }
      view.position(0);
      view.limit(length);
      views[unit - from] = view;
    }
    return views;
  }

  private ByteBuffer parity(int unit) throws IOException {
    if (cells[unit] == null) {
      cells[unit] = takeEncoded();
    }
    return cells[unit];
  }

  private ByteBuffer zeros() throws IOException {
    if (zeros == null) {
      zeros = takeEncoded();
      zero(zeros, encodedLength());
    }
    return zeros;
  }

  private ByteBuffer takeEncoded() throws IOException {
    return take(layout.capacity(encodedLength()));
  }

  /** Returns a buffer; the wait for memory ends when the stream fails. */
  private ByteBuffer take(int bytes) throws IOException {
    try {
      return pool.take(bytes, layout.direct(), window::hasFailed);
    } catch (IOException e) {
      window.throwFailure();
      throw e;
    }
  }

  private static void zero(ByteBuffer view, int end) {
    while (end - view.position() >= Long.BYTES) {
      view.putLong(0);
    }
    while (view.position() < end) {
      view.put((byte) 0);
    }
  }

  /**
   * Returns the buffer of checksums: for each unit in order, the checksums of {@link
   * #encodedLength()} bytes.
   */
  ByteBuffer checksums() throws IOException {
    if (checksums == null) {
      checksums = take(layout.checksumBytes());
    }
    return checksums;
  }

  /** Returns the offset of the checksums of a unit in {@link #checksums()}. */
  int checksumStart(int unit) {
    return unit * layout.checksums(encodedLength()) * layout.checksumSize();
  }

  /** Computes the checksums of all units, which hold their bytes. */
  void addChecksums(DataChecksum checksum) throws IOException {
    for (int unit = 0; unit < layout.units() && layout.checksumSize() > 0; unit++) {
      int length = length(unit);
      if (length > 0) {
        ByteBuffer sums = checksums().duplicate();
        sums.position(checksumStart(unit));
        checksum.calculateChunkedSums(data(unit, 0, length), sums);
      }
    }
  }

  /**
   * Returns a view of a part of a unit.
   *
   * @param unit the index of the unit
   * @param offset the offset of the part in bytes
   * @param length bytes of the part; its end is at most {@link #length(int)}
   */
  public ByteBuffer data(int unit, int offset, int length) {
    return view(cells[unit], offset, length);
  }

  /** Returns a view of the checksums of a part of a unit; the part begins at a chunk boundary. */
  public ByteBuffer checksums(int unit, int offset, int length) {
    int start = checksumStart(unit) + layout.checksums(offset) * layout.checksumSize();
    return layout.checksumSize() == 0
        ? ByteBuffer.allocate(0)
        : view(checksums, start, layout.checksums(length) * layout.checksumSize());
  }

  private static ByteBuffer view(ByteBuffer buffer, int offset, int length) {
    ByteBuffer view = buffer.duplicate();
    view.limit(offset + length);
    view.position(offset);
    return view;
  }

  /** Takes all buffers that encoding and sending need, so that neither waits for memory. */
  void prepareToSend() throws IOException {
    grow(layout.bytes(size));
    if (size <= (layout.dataUnits() - 1) * layout.cellSize()) {
      zeros();
    }
    for (int unit = layout.dataUnits(); unit < layout.units(); unit++) {
      parity(unit);
    }
    if (layout.checksumSize() > 0) {
      checksums();
    }
    pool.startedSending();
    isSending = true;
  }

  boolean isEncoded() {
    return encoded;
  }

  void setEncoded() {
    encoded = true;
  }

  /** Adds a reference: the buffers are returned only after one more {@link #release()}. */
  public void retain() {
    if (references.getAndIncrement() <= 0) {
      throw new IllegalStateException(
          "Cannot retain stripe: its buffers were returned to the pool");
    }
  }

  /**
   * Removes the reference of one {@link #retain()} or of the creation. If an Error ends it, for
   * example a StackOverflowError, a later call continues.
   */
  public void release() {
    int left = references.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("Cannot release stripe: it is already released");
    }
    if (left == 0) {
      boolean done = false;
      try {
        giveBackAll();
        done = true;
      } finally {
        if (!done) {
          references.incrementAndGet();
        }
      }
    }
  }

  private void giveBackAll() {
    for (int unit = 0; unit < cells.length; unit++) {
      giveBack(cells[unit]);
      cells[unit] = null;
    }
    giveBack(checksums);
    checksums = null;
    giveBack(zeros);
    zeros = null;
    if (isSending) {
      pool.endedSending();
      isSending = false;
    }
    pool.unreserve(reserved);
    reserved = 0;
    window.returned();
  }

  private void giveBack(ByteBuffer buffer) {
    if (buffer != null) {
      pool.give(buffer);
    }
  }
}
