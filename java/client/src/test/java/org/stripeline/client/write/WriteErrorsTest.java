// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
}
