// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.network;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DigestTest {
  private static String of(long... values) {
    Digest digest = new Digest();
    for (long value : values) {
      digest.note(1, value, value, 0);
    }
    return digest.finish();
  }

  @Test
  void distinguishesDifferentHistories() {
    assertThat(of(1, 2)).isEqualTo(of(1, 2)).isNotEqualTo(of(2, 1)).isNotEqualTo(of(1));
    assertThat(of()).matches("[0-9a-f]{16}");
  }

  @Test
  void coversAllOfALongHistory() {
    long[] values = new long[10_000];
    String zeros = of(values);
    values[9_999] = 1;
    assertThat(of(values)).isNotEqualTo(zeros);
  }
}
