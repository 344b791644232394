// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PositionalRunTest {
  private static final int READ = 65_536;

  private final PositionalRun run = new PositionalRun();

  @Test
  void readAheadIsASmallPartOfTheRun() {
    long at = 1024;
    for (int i = 0; i < 1000; i++) {
      long ahead = run.next(at, at + READ);
      at += READ;
      assertThat(ahead).isLessThanOrEqualTo((at - 1024) / 64);
      assertThat(ahead > 0).as("read %d", i).isEqualTo(i >= 63);
    }
    assertThat(run.next(0, READ)).isZero();
    assertThat(run.next(at, at + READ)).isZero();
  }

  @Test
  void largeReadsAreReadAheadFromTheThirdOnUpToABound() {
    long[] ahead = new long[8];
    for (int i = 0; i < ahead.length; i++) {
      ahead[i] = run.next((long) i << 22, (i + 1L) << 22) >> 20;
    }
    assertThat(ahead).containsExactly(0, 0, 4, 5, 6, 8, 9, 10);
    for (int i = 8; i < 20; i++) {
      ahead[0] = run.next((long) i << 22, (i + 1L) << 22);
    }
    assertThat(ahead[0]).isEqualTo(16 << 20);
  }

  @Test
  void readsThatEndInsideOfAChunkAreNotReadAhead() {
    for (int i = 0; i < 1000; i++) {
      assertThat(run.next(i * 65_600L, (i + 1) * 65_600L) > 0)
          .isEqualTo(i >= 63 && (i + 1) * 65_600L % 512 == 0);
    }
  }
}
