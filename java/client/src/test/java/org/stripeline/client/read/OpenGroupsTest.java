// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.VirtualTicker;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.testkit.Conditions;

/**
 * Tests reads of groups of files that are being written, with block groups in memory: the internal
 * blocks have more bytes than the reader knows.
 */
@Timeout(value = 2, unit = MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpenGroupsTest extends ReadPipelineCase {
  private static final int[][] CODES = {{2, 1}, {3, 2}, {6, 3}};
  private static final int CELL = 4096;
  private static final int STRIPE = 6 * CELL;

  private static MemoryGroup group() throws IOException {
    return new MemoryGroup(6, 3, CELL, 4 * STRIPE, true, 5);
  }

  private byte[] read(MemoryGroup group, int known, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    try (GroupReader reader = reader(group, known, true)) {
      new RangeRead(reader, MemoryGroup.UNCOUNTED).read(from, to, to, target);
    }
    return target.array();
  }

  private byte[] scan(MemoryGroup group, int known, int from, int to) throws IOException {
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group, known, true));
      return MemoryGroup.readThrough(window, from, to);
    }
  }

  private void assertRead(MemoryGroup group, int known, int from, int to) throws IOException {
    byte[] wanted = Arrays.copyOfRange(group.data, from, to);
    assertThat(read(group, known, from, to)).isEqualTo(wanted);
    assertThat(scan(group, known, from, to)).isEqualTo(wanted);
  }

  private void assertUnreadable(MemoryGroup group, int known, int from, int to) {
    String why = "the file was being written when it was opened";
    assertThatThrownBy(() -> read(group, known, from, to))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
    assertThatThrownBy(() -> scan(group, known, from, to))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }

  private void assertRightOrUnreadable(MemoryGroup group, int known, int from, int to) {
    byte[] wanted = Arrays.copyOfRange(group.data, from, to);
    for (boolean isPositional : new boolean[] {false, true}) {
      try {
        assertThat(isPositional ? read(group, known, from, to) : scan(group, known, from, to))
            .as("%d to %d of %d known bytes", from, to, known)
            .isEqualTo(wanted);
      } catch (IOException lost) {
        assertThat(lost).hasMessageContaining("internal block");
      }
    }
  }

  /** Whole stripes are read without any unit; at the end, no byte is wrong. */
  @Test
  void readsWithoutAUnitAreRightOrThrow() throws IOException {
    for (int[] code : CODES) {
      int stripe = code[0] * CELL;
      int[] known = {
        CELL, CELL * 3 / 2, 2 * CELL, stripe - 512, stripe, stripe + 1, stripe + CELL, 2 * stripe
      };
      for (int bytes : known) {
        for (int lost = 0; lost < code[0] + code[1]; lost++) {
          MemoryGroup group = new MemoryGroup(code[0], code[1], CELL, 4 * stripe, true, bytes);
          group.dead[lost] = true;
          int whole = bytes - bytes % stripe;
          if (whole > 0) {
            assertRead(group, bytes, 0, whole);
          }
          assertRightOrUnreadable(group, bytes, 0, bytes);
          assertRightOrUnreadable(group, bytes, bytes - 1, bytes);
          for (int at = whole; at < bytes; at += CELL) {
            assertRightOrUnreadable(group, bytes, at, Math.min(bytes, at + CELL));
          }
        }
      }
    }
  }

  @Test
  void aLostCellOfTheLastStripeIsAnError() throws IOException {
    MemoryGroup group = group();
    group.dead[0] = true;
    assertUnreadable(group, CELL, 0, CELL);
    assertRead(group, STRIPE + CELL, 0, STRIPE);
    assertUnreadable(group, STRIPE + CELL, 0, STRIPE + CELL);
    // Nothing was requested that could not help.
    assertUnreadable(group, 2 * STRIPE + CELL, 2 * STRIPE, 2 * STRIPE + CELL);
    MemoryGroup other = group();
    other.dead[0] = true;
    assertUnreadable(other, CELL, 0, CELL);
    assertThat(other.asked.get()).isZero();
  }

  @Test
  void theLastStripeIsDecodedFromUnitsThatAreKnown() throws IOException {
    MemoryGroup group = group();
    group.dead[0] = true;
    // Four data units and three of parity.
    assertRead(group, 5 * CELL, 0, 5 * CELL);
    assertRead(group, 4 * CELL + 512, 0, 4 * CELL + 512);
    // Two data units and three of parity; of a third data unit, half of the cell.
    int known = 3 * CELL + CELL / 2;
    assertUnreadable(group, known, 0, CELL);
    assertThat(read(group, known, 0, CELL / 2)).isEqualTo(Arrays.copyOf(group.data, CELL / 2));
    assertRead(group, known, CELL, known);
  }

  @Test
  void theOtherCellsOfTheLastStripeAreRead() throws IOException {
    MemoryGroup group = group();
    group.dead[1] = true;
    int known = STRIPE + 2 * CELL + CELL / 2;
    assertRead(group, known, 0, STRIPE + CELL);
    assertRead(group, known, STRIPE + 2 * CELL, known);
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group, known, true));
      assertThat(MemoryGroup.readThrough(window, 0, STRIPE + CELL))
          .isEqualTo(Arrays.copyOf(group.data, STRIPE + CELL));
      assertThatThrownBy(() -> MemoryGroup.readThrough(window, STRIPE + CELL, STRIPE + CELL + 1))
          .isInstanceOf(IOException.class);
    }
  }

  /** A decode at once, without the suspect unit, would take the units after it for empty. */
  @Test
  void aSuspectUnitIsReadAtTheEnd() throws IOException {
    for (boolean isPositional : new boolean[] {false, true}) {
      context = context("1h", 10_000);
      MemoryGroup group = group();
      context.health().markSuspect("node0", "test");
      assertThat(isPositional ? read(group, CELL, 0, CELL) : scan(group, CELL, 0, CELL))
          .isEqualTo(Arrays.copyOf(group.data, CELL));
      assertThat(group.opensOfUnit.get(0)).isEqualTo(1);
      assertThat(group.opens.get()).isEqualTo(1);
    }
  }

  @Test
  void aLateUnitIsWaitedForAtTheEnd() throws Exception {
    VirtualTicker ticker = new VirtualTicker();
    Configuration conf = new Configuration(false);
    conf.set(ClientKeys.HEDGE_MIN, "50ms");
    conf.set(ClientKeys.HEDGE_MAX, "200ms");
    context = new ReadContext(conf, new ClientSettings(conf), null, ticker);
    MemoryGroup group = group();
    group.hung[0] = true;
    FutureTask<byte[]> read = new FutureTask<>(() -> read(group, CELL, 0, CELL));
    new Thread(read, "stream").start();
    Conditions.await("the unit to be read", () -> group.opens.get() == 1);
    ticker.awaitWait(200, MILLISECONDS);
    ticker.advance(200, MILLISECONDS);
    // The read is late now, and goes on to wait.
    ticker.awaitWait(1, MINUTES);
    assertThat(group.opens.get()).isEqualTo(1);
    group.released.countDown();
    assertThat(read.get()).isEqualTo(Arrays.copyOf(group.data, CELL));
  }

  @Test
  void aCellAtTheEndDoesNotWaitForAnotherOne() throws IOException {
    context = context("1h", 10_000);
    MemoryGroup group = group();
    context.health().markSuspect("node1", "test");
    group.hung[1] = true;
    try {
      assertThat(scan(group, 2 * CELL, 0, 512)).isEqualTo(Arrays.copyOf(group.data, 512));
      assertThat(group.opensOfUnit.get(1)).isZero();
    } finally {
      group.released.countDown();
    }
  }

  /** A reader that was left open does not know the bytes by which its group has grown. */
  @Test
  void aReadBeyondTheKnownBytesThrows() throws IOException {
    MemoryGroup group = group();
    ByteBuffer target = ByteBuffer.allocate(2 * CELL);
    try (GroupReader reader = reader(group, STRIPE, true);
        RangeRead read = new RangeRead(reader, MemoryGroup.UNCOUNTED)) {
      int from = STRIPE - CELL;
      assertThatThrownBy(() -> read.read(from, from + 2 * CELL, from + 2 * CELL, target))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("/memory");
      assertThatThrownBy(() -> read.begin(from, from + 2 * CELL, from + 2 * CELL, target))
          .isInstanceOf(IOException.class);
      assertThat(target.position()).isZero();
    }
  }

  /** When a group has grown or was completed, the stream knows it by another object. */
  @Test
  void aReaderThatWasLeftOpenServesOnlyTheGroupThatItKnows() throws IOException {
    MemoryGroup group = group();
    try (GroupReader reader = reader(group, STRIPE, true);
        GroupReader grown = reader(group, 2 * STRIPE, true)) {
      ReusableReader left = new ReusableReader(reader, 512);
      assertThat(left.serves(reader.knowledge(), 512)).isTrue();
      assertThat(left.serves(reader.knowledge(), 1024)).isFalse();
      assertThat(left.serves(grown.knowledge(), 512)).isFalse();
    }
  }
}
