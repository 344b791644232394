// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.settings.RefusedException;

/** {@link RecordWriter} and {@link RecordReader}. */
class RecordFilesTest {
  private static final String PATH = "/ledgers/x";
  private static final int HEADER = 16;

  private static GroupRecord record(long number) {
    Gap gap = Gap.values()[(int) (number % 4)];
    boolean isOdd = number % 2 == 1;
    return GroupRecord.of(
        number / 3, -16 * number, number << 20, 3_000_000_000L, gap, isOdd, !isOdd);
  }

  /** Writes records, synced after each of some numbers of them. */
  private static byte[] write(RecordReader.Kind kind, int... parts) throws IOException {
    FakeStore store = new FakeStore(new Random(1));
    long number = 0;
    try (RecordWriter writer = new RecordWriter(store.create("x"), kind)) {
      for (int part : parts) {
        for (int i = 0; i < part; i++) {
          writer.add(record(number++));
        }
        writer.sync();
      }
      if (kind == RecordReader.Kind.LEDGER) {
        writer.complete();
      }
    }
    return store.files.get("x");
  }

  private static List<String> read(RecordReader.Kind kind, byte[] bytes) throws IOException {
    List<String> found = new ArrayList<>();
    RecordReader.read(
        new ByteArrayInputStream(bytes), kind, PATH, record -> found.add(record.toString()));
    return found;
  }

  private static List<String> records(int count) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(record(i).toString());
    }
    return all;
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    for (RecordReader.Kind kind : RecordReader.Kind.values()) {
      assertThat(read(kind, write(kind))).isEmpty();
      assertThat(read(kind, write(kind, 1, 0, 2500, 3))).isEqualTo(records(2504));
    }
    assertThat(record(1))
        .hasToString(
            "file 0 block -16 of 1048576 bytes, tried 3000000000, checked 0, damaged, gap REPLICA");
  }

  @Test
  void aLogThatEndsAnywhereHasItsWholeChunks() throws IOException {
    byte[] whole = write(RecordReader.Kind.LOG, 1, 3, 2);
    int[] ends = {HEADER + 40, HEADER + 40 + 104, HEADER + 40 + 104 + 72};
    assertThat(whole).hasSize(ends[2]);
    for (int length = 0; length <= whole.length; length++) {
      int expected = length >= ends[2] ? 6 : length >= ends[1] ? 4 : length >= ends[0] ? 1 : 0;
      assertThat(read(RecordReader.Kind.LOG, Arrays.copyOf(whole, length)))
          .as("%s bytes", length)
          .isEqualTo(records(expected));
    }
  }

  @Test
  void aLedgerThatEndsEarlyIsRefused() throws IOException {
    byte[] whole = write(RecordReader.Kind.LEDGER, 2, 1);
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(RecordReader.Kind.LEDGER, part))
          .isInstanceOf(RefusedException.class)
          .hasMessageStartingWith("Cannot read " + PATH + ": it ends early; restore it, or move");
    }
  }

  @Test
  void aChangedByteIsNotAccepted() throws IOException {
    for (RecordReader.Kind kind : RecordReader.Kind.values()) {
      byte[] whole = write(kind, 2, 1);
      for (int at = 0; at < whole.length; at++) {
        // Not in the numbers of records: a larger one is as if the end of the log were missing.
        if (at < HEADER || (at - HEADER) % 72 >= 4) {
          byte[] changed = whole.clone();
          changed[at] ^= 1;
          assertThatThrownBy(() -> read(kind, changed))
              .as("%s, byte %s", kind, at)
              .isInstanceOf(RefusedException.class)
              .hasMessageContaining(PATH);
        }
      }
    }
  }

  @Test
  void anotherKindOfFileIsRefused() throws IOException {
    byte[] log = write(RecordReader.Kind.LOG, 1);
    assertThatThrownBy(() -> read(RecordReader.Kind.LEDGER, log))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("it does not begin as such a file");
  }

  @Test
  void aNewerVersionIsRefused() throws IOException {
    byte[] newer = write(RecordReader.Kind.LEDGER, 1);
    newer[11] = 2;
    assertThatThrownBy(() -> read(RecordReader.Kind.LEDGER, newer))
        .isInstanceOf(RefusedException.class)
        .hasMessage(
            "Cannot use /ledgers/x: its version is 2, and this command knows 1; use the command"
                + " that wrote it, or name another directory with --ledger");
  }
}
