// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.natives.Ticker;

/** The memory of a scrub with a ledger of 10 million groups. */
@Tag("full")
class LedgerMemoryTest {
  private static final int GROUPS = 10_000_000;
  private static final int GROUPS_IN_LOG = 2_000_000;

  /** What a scrub may need, without the 50 MB for the files that it holds. */
  private static final long BYTES_MAX = 460L << 20;

  @TempDir Path directory;

  /** Files on a local disk. */
  private final class LocalStore implements LedgerStore {
    @Override
    public long id(String name) {
      return 1;
    }

    @Override
    public InputStream open(String name) throws IOException {
      try {
        return Files.newInputStream(directory.resolve(name));
      } catch (NoSuchFileException e) {
        throw new FileNotFoundException(name);
      }
    }

    @Override
    public void recover(String name) {}

    @Override
    public FSDataOutputStream create(String name) throws IOException {
      return new FSDataOutputStream(Files.newOutputStream(directory.resolve(name)), null);
    }

    @Override
    public void rename(String from, String to) throws IOException {
      Files.move(
          directory.resolve(from), directory.resolve(to), StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public String path(String name) {
      return name;
    }

    @Override
    public void close() {}
  }

  /** Returns the record of a group; their order has nothing in common with their numbers. */
  private static GroupRecord record(long number, long tried) {
    long fileId = (number * 0x9e3779b97f4a7c15L) >>> 40;
    return GroupRecord.of(fileId, -16 * number, 768L << 20, tried, Gap.NONE, false, false);
  }

  @Test
  void tenMillionGroupsFit() throws IOException {
    try (Ledger first = Ledger.open(new LocalStore(), Ticker.SYSTEM)) {
      first.begin((record, isSeen) -> true);
      for (int i = 0; i < GROUPS; i++) {
        first.add(record(i, 100));
      }
    }
    try (Ledger second = Ledger.open(new LocalStore(), Ticker.SYSTEM)) {
      second.begin((record, isSeen) -> true);
      for (int i = 0; i < GROUPS_IN_LOG; i++) {
        second.add(record(i, 200));
      }
    }
    long before = used();
    try (Ledger third = Ledger.open(new LocalStore(), Ticker.SYSTEM)) {
      assertThat(used() - before).isLessThan(BYTES_MAX);
      assertThat(third.table().size()).isEqualTo(GROUPS);
      GroupRecord checkedAgain = record(7, 0);
      assertThat(third.table().get(checkedAgain.fileId, checkedAgain.blockId).tried).isEqualTo(200);
    }
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
