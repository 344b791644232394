// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.fingerprint.FingerprintFunction;

class ByteScheduleTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @Test
  void readsFollowAtTheRateAndWithoutBursts() {
    for (long origin : new long[] {0, -5 * SECOND, Long.MAX_VALUE - SECOND}) {
      ByteSchedule schedule = new ByteSchedule(1000);
      assertThat(schedule.enter(origin, 500)).isEqualTo(origin);
      assertThat(schedule.enter(origin, 2000)).isEqualTo(origin + SECOND / 2);
      assertThat(schedule.enter(origin + SECOND, 1000)).isEqualTo(origin + 5 * SECOND / 2);
      long later = origin + 100 * SECOND;
      assertThat(schedule.enter(later, 1000)).isEqualTo(later);
      assertThat(schedule.enter(later, 1000)).as("after a pause").isEqualTo(later + SECOND);
    }
  }

  @Test
  void extremeRates() {
    ByteSchedule unlimited = new ByteSchedule(0);
    ByteSchedule fast = new ByteSchedule(Long.MAX_VALUE);
    ByteSchedule slow = new ByteSchedule(1);
    int most = FingerprintFunction.WINDOW_BYTES_MAX;
    for (ByteSchedule schedule : new ByteSchedule[] {unlimited, fast, slow}) {
      assertThat(schedule.enter(7, most)).isEqualTo(7);
    }
    assertThat(unlimited.enter(7, most)).isEqualTo(7);
    assertThat(fast.enter(7, most)).isEqualTo(7);
    assertThat(slow.enter(7, most)).isEqualTo(7 + most * SECOND);
  }
}
