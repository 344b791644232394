// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TickerTest {
  private long now = Long.MAX_VALUE - 10;

  /** Waits end early: each takes a third of its time. */
  private final Ticker early =
      new Ticker() {
        @Override
        public long nanos() {
          return now;
        }

        @Override
        public void timedWait(Object monitor, long timeoutNanos) {
          assertThat(Thread.holdsLock(monitor)).isTrue();
          now += Math.max(1, timeoutNanos / 3);
        }
      };

  @Test
  void sleepLastsForTheWholeTimeThoughWaitsEndEarly() throws Exception {
    long start = now;
    early.sleep(1000);
    assertThat(now - start).isEqualTo(1000);
    early.sleep(0);
    early.sleep(-1);
    assertThat(now - start).isEqualTo(1000);
  }

  @Test
  void sleepByTheSystemsClockLastsForTheWholeTime() throws Exception {
    long start = Ticker.SYSTEM.nanos();
    Ticker.SYSTEM.sleep(TimeUnit.MILLISECONDS.toNanos(20));
    assertThat(Ticker.SYSTEM.nanos() - start).isGreaterThanOrEqualTo(20_000_000L);
  }

  @Test
  void anInterruptEndsSleepEvenIfNoTimeIsLeft() {
    for (long duration : new long[] {0, TimeUnit.HOURS.toNanos(1)}) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> Ticker.SYSTEM.sleep(duration))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }
}
