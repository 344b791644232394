// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.lang.reflect.Field;
import java.util.function.LongSupplier;

/** Gives streams that are opened until it is closed a pool of a test's own, with its own time. */
public final class SharedPool implements AutoCloseable {
  private final WriteResources before;
  private final CellPool pool;

  /** Takes the place of the pool of the process. */
  public SharedPool(long bytesMax, LongSupplier nanoClock) throws ReflectiveOperationException {
    pool = new CellPool(0, bytesMax, nanoClock);
    synchronized (WriteResources.class) {
      before = (WriteResources) shared().get(null);
      shared().set(null, new WriteResources(EncoderThreads.create(1), pool));
    }
  }

  private static Field shared() throws ReflectiveOperationException {
    Field field = WriteResources.class.getDeclaredField("shared");
    field.setAccessible(true);
    return field;
  }

  /** Returns the bytes that stripes have reserved. */
  public long reservedBytes() {
    return pool.reservedBytes();
  }

  /** Returns the bytes of the buffers of a full stripe. */
  public static long stripeBytes(int dataUnits, int parityUnits, int cellSize) {
    return new StripeLayout(dataUnits, parityUnits, cellSize, 512, 4, true).bytes();
  }

  /** Gives the process its pool back. */
  @Override
  public void close() throws ReflectiveOperationException {
    synchronized (WriteResources.class) {
      shared().set(null, before);
    }
  }
}
