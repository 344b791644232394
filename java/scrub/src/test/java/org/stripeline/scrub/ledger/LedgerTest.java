// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stripeline.natives.Ticker;

class LedgerTest {
  private static final Ledger.Filter ALL = (record, isSeen) -> true;

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final FakeStore store = new FakeStore(random);
  private long nanos;
  private final Ticker ticker = () -> nanos;

  private static GroupRecord record(long blockId, long tried) {
    return GroupRecord.of(7, blockId, 1, tried, Gap.NONE, false, false);
  }

  /** Returns when each block was tried last, as a reader sees it. */
  private Map<Long, Long> tried() throws IOException {
    Map<Long, Long> found = new TreeMap<>();
    Ledger.read(store).forEach((record, isSeen) -> found.put(record.blockId, record.tried));
    return found;
  }

  /** A scrub of some blocks, each of which is on disk before the next one. */
  private void scrub(long tried, long... blocks) throws IOException {
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.begin(ALL);
      for (long block : blocks) {
        nanos += TimeUnit.SECONDS.toNanos(10);
        ledger.add(record(block, tried));
      }
    }
  }

  @Test
  void theNewestCheckOfAGroupCounts() throws IOException {
    scrub(100, 1, 2, 3);
    scrub(200, 2, 4);
    scrub(300, 1);
    assertThat(tried()).isEqualTo(Map.of(1L, 300L, 2L, 200L, 3L, 100L, 4L, 200L));
    assertThat(store.isReleased).isTrue();
  }

  @Test
  void readersSeeChecksAfterTenSeconds() throws IOException {
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.begin(ALL);
      nanos += TimeUnit.SECONDS.toNanos(9);
      ledger.add(record(1, 100));
      assertThat(tried()).isEmpty();
      nanos += TimeUnit.SECONDS.toNanos(1);
      ledger.add(record(2, 100));
      assertThat(tried()).hasSize(2);
      ledger.add(record(3, 100));
      assertThat(tried()).hasSize(2);
    }
    assertThat(tried()).hasSize(3);
  }

  @Test
  void aRecordCanBeOnDiskAtOnce() throws IOException {
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.begin(ALL);
      ledger.add(record(1, 100));
      assertThat(tried()).isEmpty();
      ledger.addAndSync(record(2, 100));
      assertThat(tried()).hasSize(2);
    }
  }

  @Test
  void damageRemainsAfterAnIncompleteCheckOfTheSameRun() throws IOException {
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.begin(ALL);
      ledger.addAndSync(Records.damaged(7, 1, 1, 100));
      ledger.addAndSync(Records.notRead(7, 1, 1, 101));
      assertThat(Ledger.read(store).get(7, 1).isDamaged).isTrue();
      ledger.addAndSync(record(1, 102));
      assertThat(Ledger.read(store).get(7, 1).isDamaged).isFalse();
    }
  }

  @Test
  void whatTheFilterLeavesOutIsGone() throws IOException {
    scrub(100, 1, 2, 3);
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.table().markSeen(7);
      ledger.begin((record, isSeen) -> isSeen && record.blockId != 2);
      ledger.add(record(3, 100).gone());
    }
    assertThat(tried()).isEqualTo(Map.of(1L, 100L));
  }

  @Test
  void filesThatOnlyAnEarlierScrubSawAreGone() throws IOException {
    scrub(100, 1, 2);
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.table().markSeen(7);
      ledger.begin((record, isSeen) -> isSeen);
    }
    assertThat(tried()).hasSize(2);
    try (Ledger ledger = Ledger.open(store, ticker)) {
      ledger.begin((record, isSeen) -> isSeen);
    }
    assertThat(tried()).isEmpty();
  }

  @Test
  void nothingChangesBeforeItBegins() throws IOException {
    scrub(100, 1);
    int steps = store.steps;
    Ledger.open(store, ticker).close();
    assertThat(store.steps).isEqualTo(steps);
  }

  @Test
  void afterCloseNothingIsWritten() throws IOException {
    Ledger ledger = Ledger.open(store, ticker);
    ledger.begin(ALL);
    ledger.close();
    int steps = store.steps;
    ledger.add(record(1, 100));
    ledger.close();
    assertThat(store.steps).isEqualTo(steps);
    assertThat(tried()).isEmpty();
  }

  @Test
  void afterCloseNothingBegins() throws IOException {
    // A signal may end the process while the tree is listed.
    Ledger ledger = Ledger.open(store, ticker);
    ledger.close();
    ledger.begin(ALL);
    ledger.add(record(1, 100));
    Ledger.none().begin(ALL);
    Ledger.none().add(record(1, 100));
    Ledger.none().close();
    assertThat(store.steps).isZero();
  }

  /**
   * Kills a scrub before each of its steps, and the one that follows it before each of its own.
   * Checks that were on disk are never lost, and others are there as a whole or not at all.
   */
  @Test
  void killedAtAnyStepAllSyncedChecksRemain() throws IOException {
    scrub(100, 1, 2, 3);
    Map<String, byte[]> begun = new HashMap<>(store.files);
    int before = store.steps;
    scrub(200, 2, 4, 5);
    int steps = store.steps - before;
    assertThat(steps).isGreaterThan(8);

    for (int first = 1; first <= steps + 1; first++) {
      for (int second = 1; second <= steps + 1; second++) {
        String name = "seed " + seed + ", killed before " + first + " and " + second;
        store.files.clear();
        store.files.putAll(begun);
        killedScrub(first, 200, 2, 4, 5);
        Map<Long, Long> once = tried();
        assertThat(once).as(name).containsEntry(1L, 100L).containsEntry(3L, 100L);
        assertThat(once.get(2L)).as(name).isIn(100L, 200L);
        killedScrub(second, 300, 2, 6);
        Map<Long, Long> twice = tried();
        once.forEach(
            (block, tried) ->
                assertThat(twice.get(block)).as(name + " block " + block).isIn(tried, 300L));
        scrub(400, 1);
        Map<Long, Long> after = new TreeMap<>(twice);
        after.put(1L, 400L);
        assertThat(tried()).as(name).isEqualTo(after);
      }
    }
  }

  /** Kills a scrub before one of its steps, unless it has fewer. */
  private void killedScrub(int step, long tried, long... blocks) throws IOException {
    store.steps = 0;
    store.killedBefore = step;
    try {
      scrub(tried, blocks);
    } catch (FakeStore.Killed e) {
      assertThat(store.steps).isEqualTo(step);
    }
    store.killedBefore = 0;
  }

  private interface Change {
    void make() throws IOException;
  }

  private void onceBeforeTheLogIsOpened(Change change) {
    boolean[] isMade = {false};
    store.opening =
        name -> {
          if (name.equals(Ledger.LOG) && !isMade[0]) {
            isMade[0] = true;
            change.make();
          }
        };
  }

  @Test
  void aReaderReadsAgainIfTheLedgerIsReplaced() throws IOException {
    scrub(100, 1);
    onceBeforeTheLogIsOpened(
        () -> {
          scrub(200, 2);
          // As if the blocks of the file were deleted.
          throw new IOException("cannot read");
        });
    assertThat(tried()).isEqualTo(Map.of(1L, 100L, 2L, 200L));

    store.opening =
        name -> {
          throw new IOException("cannot read");
        };
    assertThatThrownBy(this::tried).hasMessage("cannot read");
  }

  @Test
  void aReaderNeverCombinesALedgerWithALaterLog() throws IOException {
    scrub(100, 1);
    // The check of block 1 moves from the log to the ledger, which was read before.
    onceBeforeTheLogIsOpened(() -> scrub(200, 2));
    assertThat(tried()).isEqualTo(Map.of(1L, 100L, 2L, 200L));
  }

  @Test
  void aLedgerThatCannotBeReadIsReleasedUnchanged() throws IOException {
    scrub(100, 1);
    store.files.put(Ledger.LEDGER, new byte[100]);
    store.isReleased = false;
    int steps = store.steps;
    assertThatThrownBy(() -> Ledger.open(store, ticker)).hasMessageContaining("/ledgers/ledger");
    assertThat(store.isReleased).isTrue();
    assertThat(store.steps).isEqualTo(steps);
  }

  @Test
  void withoutFilesNothingWasChecked() throws IOException {
    assertThat(tried()).isEmpty();
  }
}
