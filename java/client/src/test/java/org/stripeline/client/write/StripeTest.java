// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StripeTest {
  private static final int K = 6;
  private static final int M = 3;
  private static final int CELL = 64 << 10;

  /** A small file must not use a cell for each unit, because many are written at the same time. */
  @Test
  void aSmallStripeTakesOneCell() throws Exception {
    for (int size : new int[] {1, 1000, 4096}) {
      CellPool pool = new CellPool(0, Long.MAX_VALUE);
      StripeLayout layout = new StripeLayout(K, M, CELL, 512, 0, false);
      StripeWindow window = new StripeWindow(layout, pool, 3, WriteStatistics.shared());
      Stripe stripe = window.acquire(false);
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      stripe.put(bytes, 0, size);
      ByteBuffer[] data = stripe.padded(0, K);
      stripe.padded(K, K + M);

      assertThat(pool.takenBytes())
          .as("%d bytes", size)
          .isLessThanOrEqualTo(CELL + (M + 1) * 4096L);
      assertThat(bytes(data[0])).isEqualTo(bytes);
      for (int unit = 1; unit < K; unit++) {
        assertThat(bytes(data[unit])).isEqualTo(new byte[size]);
      }
      stripe.release();
      assertThat(pool.taken()).isZero();
    }
  }

  @Test
  void paddingIsZeroWhateverWasInTheBuffers() throws Exception {
    CellPool pool = new CellPool(Long.MAX_VALUE, Long.MAX_VALUE);
    for (int capacity : new int[] {4096, CELL}) {
      ByteBuffer[] used = new ByteBuffer[K + M];
      for (int i = 0; i < used.length; i++) {
        used[i] = pool.take(capacity, false, () -> false);
        Arrays.fill(used[i].array(), (byte) 0x77);
      }
      Arrays.asList(used).forEach(pool::give);
    }
    StripeLayout layout = new StripeLayout(K, M, CELL, 512, 0, false);
    for (int size : new int[] {1, CELL - 1, CELL, CELL + 1, 2 * CELL + 777, K * CELL}) {
      StripeWindow window = new StripeWindow(layout, pool, 3, WriteStatistics.shared());
      Stripe stripe = window.acquire(false);
      byte[] bytes = new byte[size];
      new Random(size).nextBytes(bytes);
      for (int at = 0; at < size; ) {
        stripe.reserve();
        at += stripe.put(bytes, at, Math.min(5, size - at));
      }
      int width = Math.min(size, CELL);
      ByteBuffer[] data = stripe.padded(0, K);
      for (int unit = 0; unit < K; unit++) {
        int from = Math.min(size, unit * CELL);
        byte[] expected =
            Arrays.copyOf(Arrays.copyOfRange(bytes, from, Math.min(size, from + CELL)), width);
        assertThat(bytes(data[unit])).isEqualTo(expected);
      }
      stripe.release();
    }
    assertThat(pool.taken()).isZero();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
