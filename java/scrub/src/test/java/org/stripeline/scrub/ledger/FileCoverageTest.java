// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FileCoverageTest {
  private static final long FILE = 5;
  private static final long NOW = 1_000_000;

  private final LedgerTable table = new LedgerTable();
  private long modified = 100;

  private void group(long block, long bytes, long seconds, Gap gap, boolean isDamaged) {
    table.apply(GroupRecord.of(FILE, block, bytes, seconds, gap, isDamaged, false));
  }

  private FileCoverage file(long length) {
    return new FileCoverage(table, FILE, length, modified * 1000 + 999, NOW * 1000);
  }

  @Test
  void aFileIsHealthyIfAllItsGroupsAre() {
    group(1, 100, 500, Gap.NONE, false);
    assertThat(file(130).isHealthy(500)).as("the second group was not checked").isFalse();
    group(2, 30, 400, Gap.NONE, false);
    assertThat(file(130).isHealthy(400)).isTrue();
    assertThat(file(130).isHealthy(401)).isFalse();
    assertThat(file(131).isHealthy(400)).as("it has become longer").isFalse();

    group(2, 30, 600, Gap.REPLICA, false);
    assertThat(file(130).isHealthy(400)).as("a replica was not read").isFalse();
    assertThat(file(130).bytesChecked(400)).isEqualTo(130);
    group(2, 30, 700, Gap.NONE, true);
    assertThat(file(130).isHealthy(400)).as("it is damaged").isFalse();
    assertThat(file(130).bytesChecked(700)).isEqualTo(30);
  }

  @Test
  void theGroupThatWasTriedLongestAgoCounts() {
    assertThat(file(130).tried()).isZero();
    group(1, 100, 500, Gap.NONE, false);
    assertThat(file(130).tried()).as("the second group was never tried").isZero();
    group(2, 30, 400, Gap.GROUP, false);
    assertThat(file(130).tried()).isEqualTo(400);
    assertThat(file(130).bytesChecked(0)).isEqualTo(100);
  }

  @Test
  void checksBeforeAModificationDoNotCount() {
    group(1, 100, 500, Gap.NONE, false);
    modified = 500;
    assertThat(file(100).isHealthy(500)).as("in the same second").isTrue();
    modified = 501;
    assertThat(file(100).isHealthy(0)).isFalse();
    assertThat(file(100).tried()).isZero();
    assertThat(file(100).bytesChecked(0)).isZero();
  }

  @Test
  void checksInTheFutureDoNotCount() {
    group(1, 100, NOW + 1, Gap.NONE, false);
    assertThat(file(100).isHealthy(0)).isFalse();
    assertThat(file(100).tried()).isZero();
    group(1, 100, NOW, Gap.NONE, false);
    assertThat(file(100).isHealthy(0)).isTrue();
  }

  @Test
  void anEmptyFileIsNotHealthy() {
    // It may be open, and its only block is not part of its length.
    assertThat(file(0).isHealthy(0)).isFalse();
  }
}
