// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.natives.Ticker;

class RateLimiterTest {
  private final InstantWaits ticker = new InstantWaits();

  @Test
  void eachCallWaitsForItsBytes() throws Exception {
    RateLimiter limiter = new RateLimiter(1000, ticker);
    limiter.take(500);
    assertThat(ticker.millis()).isEqualTo(500);
    limiter.take(2250);
    assertThat(ticker.millis()).isEqualTo(2750);
  }

  @Test
  void unusedTimeIsNotSavedUp() throws Exception {
    RateLimiter limiter = new RateLimiter(1000, ticker);
    ticker.sleep(TimeUnit.MINUTES.toNanos(1));
    limiter.take(1000);
    assertThat(ticker.millis()).isEqualTo(61_000);
  }

  @Test
  void threadsShareTheRate() throws Exception {
    List<Long> waitsMs = new ArrayList<>();
    RateLimiter[] limiter = new RateLimiter[1];
    Ticker crowded =
        new Ticker() {
          private long nanos;

          @Override
          public long nanos() {
            return nanos;
          }

          @Override
          public void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
            waitsMs.add(TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
            if (waitsMs.size() < 3) {
              take(limiter[0], 500);
            }
            nanos += timeoutNanos;
          }
        };
    limiter[0] = new RateLimiter(1000, crowded);
    limiter[0].take(500);
    assertThat(waitsMs).as("calls while others wait").containsExactly(500L, 1000L, 1500L);
  }

  private static void take(RateLimiter limiter, int bytes) {
    try {
      limiter.take(bytes);
    } catch (InterruptedIOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withoutALimitNothingWaits() throws Exception {
    new RateLimiter(0, ticker).take(Integer.MAX_VALUE);
    assertThat(ticker.nanos()).isZero();
  }

  @Test
  void anInterruptEndsTheWait() {
    RateLimiter limiter = new RateLimiter(1000, ticker);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> limiter.take(500)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ticker.nanos()).isZero();
  }
}
