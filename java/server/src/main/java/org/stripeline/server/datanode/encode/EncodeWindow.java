// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.encode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;

/**
 * The same range of all units of a group: its buffers, and the pending reads and writes on them.
 */
final class EncodeWindow {
  private final BufferPool pool;
  private final int blocks;
  private final int dataUnits;

  /** All units, data first; data units that the group does not have are zeros. */
  private final ByteBuffer[] units;

  private final List<Future<?>> reads = new ArrayList<>();
  private final List<Future<?>> sends = new ArrayList<>();

  /** Creates a window without buffers, for a group of {@code blocks} data blocks. */
  EncodeWindow(BufferPool pool, int blocks, int dataUnits, int parityUnits) {
    this.pool = pool;
    this.blocks = blocks;
    this.dataUnits = dataUnits;
    this.units = new ByteBuffer[dataUnits + parityUnits];
  }

  /** Allocates the buffers. */
  void take() {
    for (int i = 0; i < units.length; i++) {
      units[i] = isZeros(i) ? pool.zeros() : pool.take();
    }
  }

  private boolean isZeros(int unit) {
    return unit >= blocks && unit < dataUnits;
  }

  /** Returns the buffers to the pool; there must be no pending reads or writes. */
  void give() {
    for (int i = 0; i < units.length; i++) {
      if (units[i] != null && !isZeros(i)) {
        pool.give(units[i]);
      }
      units[i] = null;
    }
  }

  /** Prepares the window for {@code length} bytes; there must be no pending reads or writes. */
  void begin(int length) {
    reads.clear();
    sends.clear();
    for (ByteBuffer unit : units) {
      unit.position(0);
      unit.limit(length);
    }
  }

  /** Returns a view of one unit with its own position and limit. */
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
