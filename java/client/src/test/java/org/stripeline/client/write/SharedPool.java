// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.lang.reflect.Field;
import org.stripeline.natives.Ticker;

/**
 * Replaces the pool of new streams with a pool of the test and a simulated clock, until it is
 * closed.
 */
public final class SharedPool implements AutoCloseable {
  private final WriteResources before;
  private final CellPool pool;

  /** Replaces the pool of the process. */
  public SharedPool(long bytesMax, Ticker ticker) throws ReflectiveOperationException {
    pool = new CellPool(0, bytesMax, ticker);
    synchronized (WriteResources.class) {
      before = (WriteResources) shared().get(null);
      shared().set(null, new WriteResources(EncoderThreads.create(1), pool, ticker));
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

  /** Throws any exception, also a checked one, from the simulated clock. */
  @SuppressWarnings("unchecked")
  public static <T extends Throwable> void sneak(Throwable any) throws T {
    throw (T) any;
  }

  /** Restores the pool of the process. */
  @Override
  public void close() throws ReflectiveOperationException {
    synchronized (WriteResources.class) {
      shared().set(null, before);
    }
  }
}
