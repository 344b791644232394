// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which DataNodes are the last choice for reads, for how long, and what is logged. */
class NodeHealthTest {
  private static final long PERIOD_MILLIS = 30_000;

  private final List<LoggingEvent> logged = new ArrayList<>();

  private final AppenderSkeleton log =
      new AppenderSkeleton() {
        @Override
        protected void append(LoggingEvent event) {
          logged.add(event);
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
          return false;
        }
      };

  private long nanos = Long.MAX_VALUE - 1;
  private final NodeHealth health = new NodeHealth(PERIOD_MILLIS, () -> nanos);

  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @BeforeEach
  void listen() {
    Logger.getLogger(NodeHealth.class).addAppender(log);
    Logger.getLogger(NodeHealth.class).setLevel(Level.INFO);
  }

  @AfterEach
  void listenNoMore() {
    Logger.getLogger(NodeHealth.class).removeAppender(log);
    Logger.getLogger(NodeHealth.class).setLevel(null);
  }

  private long count(Level level) {
    return logged.stream().filter(event -> event.getLevel().equals(level)).count();
  }

  @Test
  void periodsDoubleWhenTheProbeFails() {
    health.markSuspect("a", "late");
    for (int times = 0; times < 8; times++) {
      long period = PERIOD_MILLIS << Math.min(times, 5);
      pass(period - 1);
      assertThat(health.admits("a")).isFalse();
      assertThat(health.isSuspect("a")).isTrue();
      pass(1);
      assertThat(health.isSuspect("a")).isFalse();
      assertThat(health.admits("a")).isTrue();
      assertThat(health.isSuspect("a")).isTrue();
      health.markSuspect("a", "late");
    }
    assertThat(health.admits("b")).isTrue();
  }

  /** The stream that probed the DataNode was closed, or the block was no longer there. */
  @Test
  void aProbeWithoutResultIsRepeatedAfterOnePeriod() {
    health.markSuspect("a", "late");
    for (int times = 0; times < 5; times++) {
      pass(PERIOD_MILLIS << times);
      assertThat(health.admits("a")).isTrue();
      health.markSuspect("a", "late");
    }
    pass(PERIOD_MILLIS << 5);
    assertThat(health.admits("a")).isTrue();
    pass(PERIOD_MILLIS - 1);
    assertThat(health.admits("a")).isFalse();
    pass(1);
    assertThat(health.admits("a")).isTrue();
    assertThat(health.admits("a")).isFalse();
    health.markHealthy("a");
    assertThat(health.admits("a")).isTrue();
    assertThat(health.admits("a")).isTrue();
  }

  /** Simulates a DataNode of which one read in a hundred is late. */
  @Test
  void aDataNodeThatIsOftenLateIsLoggedOnceAPeriod() {
    for (int times = 0; times < 1_000; times++) {
      health.markSuspect("a", "late");
      health.markHealthy("a");
    }
    health.markSuspect("b", "late");
    assertThat(count(Level.WARN)).isEqualTo(2);
    assertThat(count(Level.INFO)).isEqualTo(1);
    pass(PERIOD_MILLIS);
    health.markSuspect("a", "late");
    assertThat(count(Level.WARN)).isEqualTo(3);
    health.markHealthy("a");
    assertThat(count(Level.INFO)).isEqualTo(2);
  }

  @Test
  void withoutAPeriodTheLogIsNotFloodedEither() {
    NodeHealth none = new NodeHealth(0, () -> nanos);
    for (int times = 0; times < 1_000; times++) {
      none.markSuspect("a", "refused");
      assertThat(none.isSuspect("a")).isFalse();
      assertThat(none.admits("a")).isTrue();
    }
    assertThat(count(Level.WARN)).isEqualTo(1);
    none.markHealthy("a");
    assertThat(count(Level.INFO)).isEqualTo(1);
  }
}
