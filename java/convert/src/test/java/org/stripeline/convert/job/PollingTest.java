// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.fixture.InstantWaits;

class PollingTest {
  private final InstantWaits ticker = new InstantWaits();

  /** The times of the polls in milliseconds. */
  private final List<Long> polls = new ArrayList<>();

  private Polling.Condition holdsAt(long ms) {
    return () -> {
      polls.add(ticker.millis());
      return ticker.millis() >= ms;
    };
  }

  @Test
  void pausesGrowUntilTheTimeIsUp() {
    assertThatThrownBy(() -> Polling.await(ticker, "Cannot x", 1_000, holdsAt(Long.MAX_VALUE)))
        .isInstanceOf(IOException.class)
        .hasMessage("Cannot x: not done after 1 s");
    assertThat(polls).containsExactly(0L, 5L, 15L, 35L, 75L, 155L, 315L, 635L, 1135L);
  }

  @Test
  void theLimitIsAMinuteUnlessOneIsGiven() {
    assertThatThrownBy(() -> Polling.await(ticker, "Cannot x", holdsAt(Long.MAX_VALUE)))
        .hasMessage("Cannot x: not done after 60 s");
    assertThat(ticker.millis()).isBetween(60_001L, 60_500L);
  }

  @Test
  void aConditionThatHoldsWhenTheTimeIsUpIsInTime() throws Exception {
    assertThat(Polling.isMet(ticker, 1_000, holdsAt(1_135))).isTrue();
    assertThat(ticker.millis()).isEqualTo(1_135);
  }

  @Test
  void aConditionThatHoldsLaterIsNotMet() throws Exception {
    assertThat(Polling.isMet(ticker, 1_000, holdsAt(1_136))).isFalse();
    assertThat(ticker.millis()).isEqualTo(1_135);
  }

  @Test
  void pausesAreEqualIfOneIsGiven() throws Exception {
    assertThat(Polling.isMet(ticker, 100, 40, holdsAt(Long.MAX_VALUE))).isFalse();
    assertThat(polls).containsExactly(0L, 40L, 80L, 120L);
  }

  @Test
  void slowPollsHaveLongerPauses() throws Exception {
    Polling.awaitSlowly(ticker, "Cannot x", 2_000, holdsAt(6_000));
    assertThat(polls)
        .containsExactly(0L, 5L, 15L, 35L, 75L, 155L, 315L, 635L, 1275L, 2555L, 4555L, 6555L);
  }

  @Test
  void anInterruptEndsThePolls() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Polling.await(ticker, "Cannot x", holdsAt(1)))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(polls).containsExactly(0L);
  }
}
