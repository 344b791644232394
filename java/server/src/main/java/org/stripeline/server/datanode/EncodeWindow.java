// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;

/** The same stretch of all units of a group: buffers, and who is still at work on them. */
final class EncodeWindow {
  private final BufferPool pool;
  private final int blocks;
  private final int dataUnits;

  /** All units, data first; beyond the data that there is, zeros. */
  private final ByteBuffer[] units;

  private final List<Future<?>> reads = new ArrayList<>();
  private final List<Future<?>> sends = new ArrayList<>();

  /** Makes one without buffers, for a group of so many data blocks. */
  EncodeWindow(BufferPool pool, int blocks, int dataUnits, int parityUnits) {
    this.pool = pool;
    this.blocks = blocks;
    this.dataUnits = dataUnits;
    this.units = new ByteBuffer[dataUnits + parityUnits];
  }

  /** Takes the buffers. */
  void take() {
    for (int i = 0; i < units.length; i++) {
      units[i] = isZeros(i) ? pool.zeros() : pool.take();
    }
  }

  private boolean isZeros(int unit) {
    return unit >= blocks && unit < dataUnits;
  }

  /** Gives back the buffers that were taken; nobody is at work on them. */
  void give() {
    for (int i = 0; i < units.length; i++) {
      if (units[i] != null && !isZeros(i)) {
        pool.give(units[i]);
      }
      units[i] = null;
    }
  }

  /** Makes the window one of so many bytes that nobody is at work on. */
  void begin(int length) {
    reads.clear();
    sends.clear();
    for (ByteBuffer unit : units) {
      unit.position(0);
      unit.limit(length);
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
