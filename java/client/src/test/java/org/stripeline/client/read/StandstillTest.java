// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StandstillTest {
  @Test
  void aStandstillEndsAfterAQuarterOfAnHour() {
    Standstill standstill = new Standstill(60_000);
    for (int minute = 0; minute < 15; minute++) {
      assertThat(standstill.isOver()).isFalse();
      standstill.waited(TimeUnit.MINUTES.toNanos(1));
    }
    assertThat(standstill.isOver()).isTrue();
    standstill.changed();
    assertThat(standstill.isOver()).isFalse();
  }

  @Test
  void theTimeInWhichTheJvmWasStoppedDoesNotCount() {
    Standstill standstill = new Standstill(60_000);
    standstill.waited(TimeUnit.HOURS.toNanos(9));
    assertThat(standstill.isOver()).isFalse();
  }

  @Test
  void longerTimeOutsOfSocketsAreWaitedFor() {
    Standstill standstill = new Standstill(TimeUnit.MINUTES.toMillis(8));
    for (int minute = 0; minute < 15 * 8; minute++) {
      assertThat(standstill.isOver()).isFalse();
      standstill.waited(TimeUnit.MINUTES.toNanos(1));
    }
    assertThat(standstill.isOver()).isTrue();
    assertThat(standstill.limitMinutes()).isEqualTo(120);
  }
}
