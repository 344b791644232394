// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockTest {
  private final Clock clock = new Clock();
  private final List<String> seen = new ArrayList<>();

  @Test
  void eventsRunInOrderOfTimeAndThenOfScheduling() {
    clock.after(2, () -> seen.add("c" + clock.now()));
    clock.after(1, () -> seen.add("a" + clock.now()));
    clock.after(1, () -> seen.add("b" + clock.now()));
    clock.after(1, () -> clock.after(1, () -> seen.add("d" + clock.now())));
    for (int i = 0; i < 50; i++) {
      int number = i;
      clock.after(3, () -> seen.add("e" + number));
    }
    clock.run();

    assertThat(seen.subList(0, 4)).containsExactly("a1.0", "b1.0", "c2.0", "d2.0");
    for (int i = 0; i < 50; i++) {
      assertThat(seen.get(4 + i)).isEqualTo("e" + i);
    }
    assertThat(clock.happened()).isEqualTo(55);
  }

  @Test
  void stoppingDiscardsPendingEvents() {
    clock.after(1, clock::stop);
    clock.after(2, () -> seen.add("never"));
    clock.run();
    assertThat(seen).isEmpty();
  }

  @Test
  void withoutEventsItEndsImmediately() {
    clock.run();
    assertThat(clock.now()).isZero();
  }

  @Test
  void refusesPastAndInvalidTimes() {
    for (double bad : new double[] {-1e-9, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> clock.after(bad, () -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be a number from 0");
    }
  }
}
