// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;

/** The same stretch of all units of a group: buffers, and who is still at work on them. */
final class Window {
  /** All units, data first; beyond the data that there is, one buffer of zeros. */
  private final ByteBuffer[] units;

  private final int dataUnits;
  private final int bytes;
  private final List<Future<?>> reads = new ArrayList<>();
  private final List<Future<?>> sends = new ArrayList<>();

  private Window(ByteBuffer[] units, int dataUnits, int bytes) {
    this.units = units;
    this.dataUnits = dataUnits;
    this.bytes = bytes;
  }

  /**
   * Takes what a window needs out of the pool.
   *
   * @param blocks data units that there are blocks for
   * @param zeros a buffer of zeros of that many bytes for the others
   */
  static Window take(
      BufferPool pool, int blocks, int dataUnits, int parityUnits, int bytes, ByteBuffer zeros) {
    ByteBuffer[] units = new ByteBuffer[dataUnits + parityUnits];
    for (int i = 0; i < units.length; i++) {
      units[i] = i < blocks || i >= dataUnits ? pool.take(bytes) : zeros;
    }
    return new Window(units, dataUnits, bytes);
  }

  /** Gives the buffers back; nobody is at work on them. */
  void give(BufferPool pool, int blocks) {
    for (int i = 0; i < units.length; i++) {
      if (i < blocks || i >= dataUnits) {
        pool.give(units[i]);
      }
    }
  }

  /** Makes the window one of so many bytes that nobody is at work on. */
  void begin(int length) {
    reads.clear();
    sends.clear();
    for (ByteBuffer unit : units) {
      unit.position(0);
      unit.limit(Math.min(length, bytes));
    }
  }

  /** Returns a view of one unit with a position and limit of its own. */
  ByteBuffer view(int unit) {
    return units[unit].duplicate();
  }

  ByteBuffer[] all() {
    return units;
  }

  ByteBuffer[] data() {
    return Arrays.copyOfRange(units, 0, dataUnits);
  }

  ByteBuffer[] parity() {
    return Arrays.copyOfRange(units, dataUnits, units.length);
  }

  void reading(Future<?> read) {
    reads.add(read);
  }

  void sending(Future<?> send) {
    sends.add(send);
  }

  void awaitReads() throws IOException, InterruptedException {
    await(reads);
  }

  void awaitSends() throws IOException, InterruptedException {
    await(sends);
  }

  private static void await(List<Future<?>> all) throws IOException, InterruptedException {
    for (Future<?> one : all) {
      GroupEncoder.get(one);
    }
  }
}
