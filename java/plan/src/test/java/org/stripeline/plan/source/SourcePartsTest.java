// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Tests the parts of the sources: times of snapshots, the table of inodes. */
class SourcePartsTest {
  @Test
  void snapshotsHoldWhatIsOlder() {
    SnapshotTimes times = new SnapshotTimes();
    assertThat(times.mayHold("/a/x", 5)).isFalse();
    times.add("/a", 10);
    times.add("/a", 7);
    times.add("/a/b", 20);

    assertThat(times.mayHold("/a/x", 10)).isTrue();
    assertThat(times.mayHold("/a/x", 11)).isFalse();
    assertThat(times.mayHold("/a/b/c/x", 15)).isTrue();
    assertThat(times.mayHold("/ab/x", 1)).isFalse();
    assertThat(times.mayHold("/x", 1)).isFalse();
  }

  @Test
  void snapshotsOfTheRootHoldAll() {
    SnapshotTimes times = new SnapshotTimes();
    times.add("/", 10);

    assertThat(times.mayHold("/x", 10)).isTrue();
    assertThat(times.mayHold("/a/b/x", 9)).isTrue();
  }

  @Test
  void aTableOfInodesIsAMap() {
    LongIntTable table = new LongIntTable();
    Map<Long, Integer> expected = new HashMap<>();
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 20_000; i++) {
      long key = i % 2 == 0 ? 16385 + i : 1 + random.nextLong(Long.MAX_VALUE - 1);
      table.put(key, i);
      expected.put(key, i);
    }
    table.put(16385, 77);
    expected.put(16385L, 77);

    expected.forEach((key, value) -> assertThat(table.get(key)).isEqualTo(value));
    assertThat(table.get(9)).isEqualTo(LongIntTable.ABSENT);
  }
}
