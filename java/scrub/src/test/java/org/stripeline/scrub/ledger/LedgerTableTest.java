// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LedgerTableTest {
  /** 10 million groups have less than 400 MB of the 512 MiB that a scrub may need. */
  private static final double BYTES_MAX = 40;

  private static GroupRecord record(long fileId, long blockId, long tried) {
    return GroupRecord.of(fileId, blockId, 1, tried, Gap.NONE, false, false);
  }

  private static List<String> all(LedgerTable table) throws IOException {
    List<String> found = new ArrayList<>();
    table.forEach((record, isSeen) -> found.add(record.toString()));
    return found;
  }

  @Test
  void aTableIsAnOrderedMap() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    LedgerTable table = new LedgerTable();
    Comparator<long[]> order = Comparator.comparingLong(key -> key[0]);
    TreeMap<long[], GroupRecord> expected =
        new TreeMap<>(order.thenComparing(Comparator.comparingLong(key -> key[1])));
    for (int i = 0; i < 50_000; i++) {
      // Runs of following keys between others, in phases in which more and more are removed.
      long block = random.nextInt(4) == 0 ? i : random.nextInt(3000) - 1500;
      GroupRecord record = record(random.nextInt(20), block, i);
      if (random.nextInt(5) < i / 10_000) {
        table.apply(record.gone());
        expected.remove(new long[] {record.fileId, block});
      } else {
        table.put(record);
        expected.put(new long[] {record.fileId, block}, record);
      }
    }

    List<String> records = new ArrayList<>();
    expected.values().forEach(record -> records.add(record.toString()));
    assertThat(all(table)).as("seed %s", seed).isEqualTo(records);
    assertThat(table.size()).isEqualTo(records.size());
    for (long file = -1; file <= 20; file++) {
      List<String> found = new ArrayList<>();
      table.forFile(file, record -> found.add(record.toString()));
      String prefix = "file " + file + " ";
      assertThat(found)
          .as("seed %s, file %s", seed, file)
          .isEqualTo(
              records.stream().filter(one -> one.startsWith(prefix)).collect(Collectors.toList()));
    }
    for (int i = 0; i < 1000; i++) {
      long file = random.nextInt(22) - 1;
      long block = random.nextInt(4000) - 2000;
      assertThat(String.valueOf(table.get(file, block)))
          .as("seed %s, file %s, block %s", seed, file, block)
          .isEqualTo(String.valueOf(expected.get(new long[] {file, block})));
    }
  }

  @Test
  void anEmptyTableHasNothing() throws IOException {
    LedgerTable table = new LedgerTable();
    table.markSeen(1);
    table.apply(record(1, 1, 1).gone());

    assertThat(table.get(1, 1)).isNull();
    assertThat(table.size()).isZero();
    assertThat(all(table)).isEmpty();
  }

  @Test
  void onlyMarkedFilesAreSeen() throws IOException {
    LedgerTable table = new LedgerTable();
    for (int block = 0; block < 1000; block++) {
      table.put(record(block / 100, block, 1));
    }
    table.markSeen(4);
    table.markSeen(99);

    List<Long> seen = new ArrayList<>();
    table.forEach(
        (record, isSeen) -> {
          if (isSeen) {
            seen.add(record.blockId);
          }
        });
    assertThat(seen).hasSize(100).startsWith(400L).endsWith(499L);
  }

  @Test
  void anIncompleteCheckKeepsWhatTheLastCompleteOneFound() {
    LedgerTable table = new LedgerTable();
    table.apply(record(1, 2, 100));
    table.apply(GroupRecord.of(1, 2, 1, 200, Gap.GROUP, false, true));
    assertThat(table.get(1, 2))
        .hasToString("file 1 block 2 of 1 bytes, tried 200, checked 100, by client, gap GROUP");

    table.apply(GroupRecord.of(1, 2, 1, 300, Gap.REPLICA, true, false));
    table.apply(GroupRecord.of(1, 2, 1, 400, Gap.REPLICA, false, false));
    assertThat(table.get(1, 2))
        .hasToString("file 1 block 2 of 1 bytes, tried 400, checked 100, damaged, gap REPLICA");

    table.apply(GroupRecord.of(1, 2, 9, 500, Gap.REPLICA, false, false));
    assertThat(table.get(1, 2).checked).as("it has become longer").isZero();

    table.apply(record(1, 2, 600));
    assertThat(table.get(1, 2))
        .hasToString("file 1 block 2 of 1 bytes, tried 600, checked 600, gap NONE");
  }

  /** Returns the heap per record of a table, which is filled in the order of a function. */
  private static double bytesPerRecord(int count, LongUnaryOperator order) {
    long before = used();
    LedgerTable table = new LedgerTable();
    for (long i = 0; i < count; i++) {
      long key = order.applyAsLong(i);
      table.put(record(key >>> 2, key, 1));
    }
    long after = used();
    assertThat(table.size()).isEqualTo(count);
    return (double) (after - before) / count;
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  @Test
  void aRecordTakesLittleMoreThanItsBytes() {
    int count = 1_000_000;
    // Multiplication by an odd number is a permutation, here one without any order.
    assertThat(bytesPerRecord(count, i -> i * 0x9e3779b97f4a7c15L)).isBetween(32.0, BYTES_MAX);
    assertThat(bytesPerRecord(count, i -> i)).isBetween(32.0, 34.0);
    assertThat(bytesPerRecord(count, i -> count - i)).isBetween(32.0, BYTES_MAX);
  }
}
