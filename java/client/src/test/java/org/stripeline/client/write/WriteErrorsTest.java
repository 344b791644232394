// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests Errors between any two steps of taking and returning memory. */
class WriteErrorsTest {
  private static final StripeLayout LAYOUT = new StripeLayout(2, 1, 1024, 512, 4, false);

  /** The most readings of the clock by one stripe. */
  private static final int READINGS = 30;

  /**
   * Reading the clock is the deepest call of the pool, and so the first that fails at the end of
   * the stack.
   */
  @Test
  void anErrorWhileAStripeTakesOrReturnsMemoryLosesNone() throws IOException {
    for (int reading = 1; reading <= READINGS; reading++) {
      AtomicInteger left = new AtomicInteger();
      CellPool pool =
          new CellPool(
              0,
              Long.MAX_VALUE,
              () -> {
                if (left.decrementAndGet() == 0) {
                  throw new StackOverflowError();
                }
                return 0;
              });
      StripeWindow window = new StripeWindow(LAYOUT, pool, 3, WriteStatistics.shared());
      left.set(reading);
      Stripe stripe = null;
      boolean released = false;
      try {
        stripe = window.acquire(true);
        stripe.put((byte) 1);
        stripe.prepareToSend();
        stripe.release();
        released = true;
      } catch (StackOverflowError e) {
        assertThat(left.get()).isZero();
      }
      if (stripe != null && !released) {
        stripe.release();
      }
      assertThat(pool.takenBytes()).as("bytes after an Error at reading %d", reading).isZero();
      assertThat(pool.taken()).as("buffers after an Error at reading %d", reading).isZero();
      assertThat(pool.reservedBytes()).as("reserved after reading %d", reading).isZero();
      assertThat(window.occupied()).as("stripes after reading %d", reading).isZero();
    }
  }

  @Test
  void aBufferThatIsGivenAtTheEndOfTheStackIsKeptOnce() throws Exception {
    int count = 40;
    CellPool pool = new CellPool(Long.MAX_VALUE, Long.MAX_VALUE, () -> 0);
    pool.give(take(pool));
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      buffers.add(take(pool));
    }
    Thread deep =
        new Thread(
            null, () -> buffers.forEach(buffer -> giveAtTheEnd(pool, buffer)), "deep", 256 << 10);
    deep.start();
    deep.join();
    assertThat(pool.taken()).isZero();
    Set<ByteBuffer> again = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < count; i++) {
      again.add(take(pool));
    }
    assertThat(again).hasSize(count);
    assertThat(pool.keptBytes()).isZero();
  }

  private static ByteBuffer take(CellPool pool) throws IOException {
    return pool.take(64, false, () -> false);
  }

  /**
   * Gives a buffer on the way back from the end of the stack, in the first call that has enough
   * room for it; returns whether that has happened.
   */
  private static boolean giveAtTheEnd(CellPool pool, ByteBuffer buffer) {
    boolean isGiven = false;
    try {
      isGiven = giveAtTheEnd(pool, buffer);
      if (!isGiven) {
        pool.give(buffer);
        isGiven = true;
      }
    } catch (StackOverflowError e) {
      return false;
    }
    return isGiven;
  }
}
