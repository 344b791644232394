// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One stripe on its way: user bytes, then parity and checksums.
 *
 * <p>It belongs first to the thread that collects, then to the one that encodes, then to the one
 * that sends, handed over by {@link StripePipeline}; after that its content does not change. Its
 * buffers go back to their pool when the last {@link #release()} has been called, which for a
 * stripe that was sent is when DataNodes have acknowledged all of it.
 */
public final class Stripe {
  private final StripeLayout layout;
  private final StripeWindow window;
  private final CellPool pool;
  private final boolean opensGroup;
  private final ByteBuffer[] cells;
  private final int[] sent;
  private final AtomicInteger references = new AtomicInteger(1);
  private boolean groupToOpen;
  private ByteBuffer current;
  private int size;
  private ByteBuffer checksums;
  private volatile boolean encoded;

  Stripe(StripeLayout layout, StripeWindow window, CellPool pool, boolean opensGroup) {
    this.layout = layout;
    this.window = window;
    this.pool = pool;
    this.opensGroup = opensGroup;
    this.groupToOpen = opensGroup;
    this.cells = new ByteBuffer[layout.units()];
    this.sent = new int[layout.units()];
  }

  /** Returns the sizes. */
  public StripeLayout layout() {
    return layout;
  }

  /** Returns whether this is the first stripe of a block group. */
  public boolean opensGroup() {
    return opensGroup;
  }

  /** Returns true once, if a block group begins with this stripe. */
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

  /** Takes as many bytes as fit, and returns their number. */
  public int put(byte[] bytes, int offset, int length) {
    int done = 0;
    while (done < length && size < layout.stripeSize()) {
      ByteBuffer cell = cellToFill();
      int count = Math.min(length - done, cell.remaining());
      cell.put(bytes, offset + done, count);
      done += count;
      size += count;
    }
    return done;
  }

  /** Takes one byte; there must be room. */
  public void put(byte value) {
    cellToFill().put(value);
    size++;
  }

  private ByteBuffer cellToFill() {
    if (current == null || !current.hasRemaining()) {
      current = cell(size / layout.cellSize());
    }
    return current;
  }

  /** Returns how many bytes of that unit go to its DataNode; padding never does. */
  public int length(int unit) {
    if (unit >= layout.dataUnits()) {
      return Math.min(size, layout.cellSize());
    }
    long before = (long) unit * layout.cellSize();
    return (int) Math.max(0, Math.min(layout.cellSize(), size - before));
  }

  /** Returns how many bytes of that unit went out before the stripe was encoded. */
  public int sent(int unit) {
    return sent[unit];
  }

  /** Says that the first bytes of a unit need not be sent with the stripe. */
  public void setSent(int unit, int bytes) {
    sent[unit] = bytes;
  }

  /** Returns the bytes of every unit as the encoder sees it: those of parity. */
  int encodedLength() {
    return length(layout.dataUnits());
  }

  /** Returns the buffer of a unit, taking one from the pool if it has none. */
  ByteBuffer cell(int unit) {
    if (cells[unit] == null) {
      cells[unit] = pool.take(layout.cellSize(), layout.direct());
    }
    return cells[unit];
  }

  /** Returns units as the encoder takes them: of equal length, short ones padded with zeros. */
  ByteBuffer[] padded(int from, int to) {
    ByteBuffer[] views = new ByteBuffer[to - from];
    int length = encodedLength();
    for (int unit = from; unit < to; unit++) {
      ByteBuffer view = cell(unit).duplicate();
      if (unit < layout.dataUnits()) {
        view.position(length(unit));
        zero(view, length);
      }
      view.position(0);
      view.limit(length);
      views[unit - from] = view;
    }
    return views;
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
   * Returns the buffer for checksums: those of each unit of {@link #encodedLength()} bytes one
   * after another.
   */
  ByteBuffer checksums() {
    if (checksums == null) {
      int most = layout.units() * layout.checksums(layout.cellSize()) * layout.checksumSize();
      checksums = pool.take(most, layout.direct());
    }
    return checksums;
  }

  /** Returns where the checksums of a unit start in {@link #checksums()}. */
  int checksumStart(int unit) {
    return unit * layout.checksums(encodedLength()) * layout.checksumSize();
  }

  /**
   * Returns a view of a part of a unit.
   *
   * @param unit which unit
   * @param offset where the part starts, in bytes
   * @param length its bytes; the end is at most {@link #length(int)}
   */
  public ByteBuffer data(int unit, int offset, int length) {
    return view(cells[unit], offset, length);
  }

  /** Returns a view of the checksums of such a part, which starts at a whole checksum. */
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

  boolean isEncoded() {
    return encoded;
  }

  void setEncoded() {
    encoded = true;
  }

  /** Keeps the buffers from going back until one more {@link #release()}. */
  public void retain() {
    if (references.getAndIncrement() <= 0) {
      throw new IllegalStateException("Cannot retain stripe: its buffers are back in the pool");
    }
  }

  /** Undoes one {@link #retain()}, or the creation. */
  public void release() {
    int left = references.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("Cannot release stripe: it was released already");
    }
    if (left == 0) {
      for (int unit = 0; unit < cells.length; unit++) {
        giveBack(cells[unit]);
        cells[unit] = null;
      }
      giveBack(checksums);
      checksums = null;
      window.returned();
    }
  }

  private void giveBack(ByteBuffer buffer) {
    if (buffer != null) {
      pool.give(buffer);
    }
  }
}
