// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests which units of RS-6-3 are late, with a simulated time: a limit of 30, one check per second.
 */
class LateUnitsTest {
  private static final int UNITS = 9;
  private static final int DATA = 6;

  private final long[] queued = new long[UNITS];
  private final long[] acknowledged = new long[UNITS];
  private LateUnits late;
  private long now;

  @BeforeEach
  void start() {
    start(UNITS - DATA);
  }

  private void start(int losses) {
    late = new LateUnits(UNITS, DATA, losses, 30, 1);
    now = 1_000_000;
    for (int unit = 0; unit < UNITS; unit++) {
      queued[unit] = -1;
      acknowledged[unit] = -1;
    }
  }

  private void look(long seconds) {
    for (long i = 0; i < seconds; i++) {
      now++;
      look();
    }
  }

  private void look() {
    late.look(now);
    for (int unit = 0; unit < UNITS; unit++) {
      late.progress(unit, queued[unit], acknowledged[unit]);
    }
  }

  private void queueAll() {
    for (int unit = 0; unit < UNITS; unit++) {
      queued[unit]++;
    }
  }

  private void acknowledgeFrom(int first) {
    System.arraycopy(queued, first, acknowledged, first, UNITS - first);
  }

  @Test
  void aUnitThatAcknowledgesNothingIsLate() {
    queueAll();
    look(1);
    acknowledgeFrom(1);
    look(30);
    assertThat(late.late()).isEmpty();
    look(1);
    assertThat(late.late()).containsExactly(0);
  }

  @Test
  void idleUnitsAreNotLate() {
    queueAll();
    look(1);
    acknowledgeFrom(0);
    look(1000);
    assertThat(late.late()).isEmpty();
  }

  @Test
  void theOldestPacketCountsWhateverIsAcknowledgedBefore() {
    for (int second = 0; second < 40; second++) {
      queueAll();
      queued[0] += 2;
      acknowledgeFrom(1);
      // Each second three packets are queued and one is acknowledged.
      acknowledged[0]++;
      look(1);
    }
    assertThat(late.waitNanos(0)).isBetween(24L, 28L);
    look(1);
    for (int second = 0; second < 10; second++) {
      queueAll();
      queued[0] += 2;
      acknowledgeFrom(1);
      acknowledged[0]++;
      look(1);
    }
    assertThat(late.late()).containsExactly(0);
  }

  @Test
  void asManyUnitsAsParityAreLateTogether() {
    queueAll();
    look(1);
    acknowledgeFrom(3);
    look(31);
    assertThat(late.late()).containsExactly(0, 1, 2);
  }

  @Test
  void oneUnitMoreThanParityIsNeverLate() {
    queueAll();
    look(1);
    acknowledgeFrom(4);
    look(100_000);
    assertThat(late.late()).isEmpty();
  }

  @Test
  void failedUnitsCount() {
    queueAll();
    look(1);
    late.failed(7, true);
    late.failed(8, true);
    acknowledgeFrom(2);
    look(31);
    assertThat(late.late()).isEmpty();
    // Now unit 1 is one of the six other units, one of which needed 32.
    acknowledged[1] = queued[1];
    look(1);
    assertThat(late.limitNanos(0)).isEqualTo(4 * 32);
    look(100);
    assertThat(late.late()).containsExactly(0);
  }

  /** A DataNode has restarted, and the packets that waited for it are sent now. */
  @Test
  void aUnitThatContinuesAfterAFailureHasNotWaited() {
    queueAll();
    look(1);
    acknowledgeFrom(1);
    late.failed(0, true);
    look(100);
    late.failed(0, false);
    look(30);
    assertThat(late.late()).isEmpty();
    look(2);
    assertThat(late.late()).containsExactly(0);
  }

  @Test
  void fewerUnitsAreAbandonedIfFewerLossesAreTolerated() {
    start(1);
    queueAll();
    look(1);
    acknowledgeFrom(2);
    look(31);
    assertThat(late.late()).isEmpty();
    acknowledged[1] = queued[1];
    look(1);
    assertThat(late.late()).containsExactly(0);
    start(0);
    queueAll();
    look(1);
    acknowledgeFrom(1);
    look(100);
    assertThat(late.late()).isEmpty();
  }

  @Test
  void noUnitIsLateIfAllAreSlow() {
    queueAll();
    look(100_000);
    assertThat(late.late()).isEmpty();
    // When they recover, they do not all acknowledge at the same time.
    acknowledgeFrom(3);
    look(1);
    assertThat(late.late()).isEmpty();
  }

  @Test
  void theLimitFollowsWhatOthersNeed() {
    queueAll();
    look(20);
    acknowledgeFrom(1);
    look(1);
    assertThat(late.limitNanos(0)).isEqualTo(4 * 20);
    look(60);
    assertThat(late.late()).isEmpty();
    look(1);
    assertThat(late.late()).containsExactly(0);
  }

  @Test
  void aPastSlowPeriodIsForgotten() {
    queueAll();
    look(20);
    acknowledgeFrom(0);
    look(1);
    for (int second = 0; second < 20; second++) {
      queueAll();
      look(1);
      acknowledgeFrom(0);
      look(1);
    }
    assertThat(late.limitNanos(0)).isEqualTo(30);
  }

  @Test
  void twoSlowUnitsDoNotRaiseTheLimitOfEachOther() {
    queueAll();
    look(1);
    acknowledgeFrom(2);
    look(29);
    assertThat(late.limitNanos(0)).isEqualTo(30);
  }

  @Test
  void timeInWhichTheClientStandsStillDoesNotCount() {
    queueAll();
    look(1);
    acknowledgeFrom(1);
    look(20);
    now += 1000;
    look();
    assertThat(late.late()).isEmpty();
    assertThat(late.waitNanos(0)).isEqualTo(22);
  }

  @Test
  void anotherStreamerStartsAfresh() {
    queueAll();
    look(1);
    acknowledgeFrom(1);
    look(31);
    late.failed(0, true);
    late.restart(0);
    queued[0] = 0;
    acknowledged[0] = -1;
    look(30);
    assertThat(late.late()).isEmpty();
    look(2);
    assertThat(late.late()).containsExactly(0);
  }
}
