// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.convert.fixture.InstantWaits;
import org.stripeline.natives.Ticker;

/** Tests how long a signal waits for a service. */
@Timeout(60)
class EndBySignalTest {
  private final List<String> said = Collections.synchronizedList(new ArrayList<>());
  private final InstantWaits ticker = new InstantWaits();
  private final AtomicBoolean isStopped = new AtomicBoolean();

  private EndBySignal armed(LongSupplier answeredAt, Consumer<String> printer, Ticker with) {
    return new EndBySignal(() -> isStopped.set(true), answeredAt, printer, with);
  }

  @Test
  void endsAMinuteAfterTheLastAnswerOfHdfs() {
    long start = ticker.millis();
    // It answers for ten minutes, in which a file in progress may be completed.
    long until = TimeUnit.MINUTES.toNanos(10);
    try (EndBySignal end = armed(() -> Math.min(until, ticker.nanos()), said::add, ticker)) {
      end.stopAndAwait();
    }
    assertThat(isStopped).isTrue();
    assertThat(ticker.millis() - start).isEqualTo(TimeUnit.MINUTES.toMillis(11));
    assertThat(said).hasSize(2);
    assertThat(said.get(1)).contains("HDFS has not answered for a minute");
  }

  @Test
  void waitsAMinuteEvenIfHdfsHasBeenSilentForLong() {
    ticker.timedWait(this, TimeUnit.HOURS.toNanos(1));
    long start = ticker.millis();
    try (EndBySignal end = armed(() -> 0, said::add, ticker)) {
      end.stopAndAwait();
    }
    assertThat(ticker.millis() - start).isEqualTo(TimeUnit.MINUTES.toMillis(1));
  }

  @Test
  void endsWithTheServiceAlthoughPrintingBlocks() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch printing = new CountDownLatch(1);
    Consumer<String> blocked =
        text -> {
          printing.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    Thread hook;
    try (EndBySignal end = armed(Ticker.SYSTEM::nanos, blocked, Ticker.SYSTEM)) {
      hook = new Thread(end::stopAndAwait);
      hook.start();
      assertThat(printing.await(30, TimeUnit.SECONDS)).isTrue();
    }
    hook.join(30_000);
    assertThat(hook.isAlive()).isFalse();
    never.countDown();
  }
}
