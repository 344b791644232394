// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSpanTest {

  @Test
  void timesHaveOneUnit() {
    assertThat(TimeSpan.millis("--age", "0s")).isZero();
    assertThat(TimeSpan.millis("--age", "7s")).isEqualTo(7_000);
    assertThat(TimeSpan.millis("--age", "90m")).isEqualTo(90 * 60_000L);
    assertThat(TimeSpan.millis("--age", "12h")).isEqualTo(12 * 3_600_000L);
    assertThat(TimeSpan.millis("--age", "999999d")).isEqualTo(999_999L * 86_400_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "d", "5 d", "-5d", "1.5h", "5D", "1h30m", "1000000d", "5w"})
  void otherTextIsRefusedWithTheOption(String text) {
    assertThatThrownBy(() -> TimeSpan.millis("--age", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot read --age=" + text + ": write for example 90m, 12h or 30d");
  }
}
