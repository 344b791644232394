// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.ClientKeys;

/** The pipeline over block groups in memory, with every fault that an internal block can have. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReadPipelineTest {
  private static final int CASES = Integer.getInteger("stripeline.test.cases", 300);

  private final Segment.Tally uncounted =
      new Segment.Tally() {
        @Override
        public void fetched(int bytes, boolean shortCircuit, int distance, long millis) {}

        @Override
        public void decoded(long millis) {}
      };

  /** What callers do with a buffer that they have back. */
  private static final byte OWNERS_BYTE = 0x5a;

  private final List<byte[]> handedBack = new ArrayList<>();

  private ReadContext context;
  private long buffersBefore;

  @BeforeEach
  void remember() {
    context = context("0", 5);
    buffersBefore = ReadContext.usedBufferBytes();
  }

  @AfterEach
  void allBuffersAreBack() {
    await(() -> ReadContext.usedBufferBytes() == buffersBefore);
  }

  private static ReadContext context(String suspectPeriod, int hedgeMin) {
    Configuration conf = new Configuration(false);
    conf.set(ClientKeys.HEDGE_MIN, hedgeMin + "ms");
    conf.set(ClientKeys.HEDGE_MAX, 4 * hedgeMin + "ms");
    conf.set(ClientKeys.SUSPECT_PERIOD, suspectPeriod);
    conf.set(ClientKeys.READ_WINDOW, "200000");
    return new ReadContext(conf);
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("the condition did not come true");
      }
      Thread.onSpinWait();
    }
  }

  private GroupReader reader(MemoryGroup group) {
    GroupGeometry geometry = group.geometry;
    return new GroupReader(
        context,
        new GroupKnowledge(
            group,
            geometry.dataUnits(),
            geometry.units() - geometry.dataUnits(),
            geometry.cellBytes(),
            geometry.groupBytes()),
        new ReadCounters(ReadContext.counters()));
  }

  private byte[] readRange(MemoryGroup group, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    try (GroupReader reader = reader(group)) {
      new RangeRead(reader, uncounted).read(from, to, to, target);
      assertThat(target.hasRemaining()).isFalse();
      return target.array().clone();
    } finally {
      Arrays.fill(target.array(), OWNERS_BYTE);
      handedBack.add(target.array());
    }
  }

  private void assertThatNothingWasPutAfterwards(String of) {
    for (byte[] buffer : handedBack) {
      for (byte at : buffer) {
        if (at != OWNERS_BYTE) {
          throw new AssertionError(of + ": a read that was over has put bytes");
        }
      }
    }
    handedBack.clear();
  }

  @Test
  void seededFaultsGiveRightBytesOrAnException() throws IOException {
    int threw = 0;
    for (long seed = Long.getLong("stripeline.test.first", 0L); seed < CASES; seed++) {
      threw += runCase(seed);
    }
    // Both outcomes must have been seen, or the faults are too tame or too wild.
    assertThat(threw).isBetween(CASES / 50, CASES * 4 / 5);
  }

  /** Returns 1 if part of the case was unreadable, as more than m units of a stripe had failed. */
  private int runCase(long seed) throws IOException {
    Random random = new Random(seed);
    int k = 1 + random.nextInt(6);
    int m = 1 + random.nextInt(3);
    int cell = 512 * (1 + random.nextInt(8)) * (random.nextInt(8) == 0 ? 128 : 1);
    int length = 1 + random.nextInt(k * cell * 5);
    MemoryGroup group = new MemoryGroup(k, m, cell, length, random.nextBoolean(), seed);
    group.portion = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(2 * cell);
    injure(group, random, m);
    int threw = 0;
    try (GroupReader reader = reader(group);
        SequentialWindow window = new SequentialWindow(context, uncounted)) {
      window.enter(reader);
      int position = 0;
      for (int step = 0; step < 12; step++) {
        if (random.nextInt(3) == 0) {
          position = random.nextInt(length);
        }
        int wanted = 1 + random.nextInt(Math.max(1, random.nextBoolean() ? length : cell));
        int to = Math.min(length, position + wanted);
        if (position >= to) {
          position = 0;
          continue;
        }
        boolean stateful = random.nextBoolean();
        try {
          byte[] got =
              stateful ? readThrough(window, position, to) : readRange(group, position, to);
          assertThat(Arrays.equals(got, Arrays.copyOfRange(group.data, position, to)))
              .as("seed %d, bytes %d to %d, stateful %s", seed, position, to, stateful)
              .isTrue();
        } catch (IOException e) {
          assertThat(isReadable(group, position, to, m))
              .as("seed %d: %s", seed, e)
              .isFalse();
          assertThat(e).hasMessageContaining("/memory, block group 1");
          threw = 1;
        }
        position = to;
      }
    }
    group.released.countDown();
    await(() -> group.openReaders.get() == 0);
    assertThatNothingWasPutAfterwards("seed " + seed);
    return threw;
  }

  private static byte[] readThrough(SequentialWindow window, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    for (int at = from; at < to; ) {
      ByteBuffer part = window.at(at, to - at).bytesAt(at);
      part.limit(Math.min(part.limit(), part.position() + to - at));
      at += part.remaining();
      target.put(part);
    }
    return target.array();
  }

  private static void injure(MemoryGroup group, Random random, int m) {
    int units = group.geometry.units();
    int faults = random.nextInt(m + 2);
    for (int fault = 0; fault < faults; fault++) {
      int unit = random.nextInt(units);
      int bytes = (int) group.geometry.unitBytes(unit);
      switch (random.nextInt(6)) {
        case 0:
          group.dead[unit] = true;
          break;
        case 1:
          group.absent[unit] = true;
          break;
        case 2:
          // What hangs forever can be waited for only if decoding does not need it.
          if (hungOrGone(group) < m) {
            group.hung[unit] = true;
          }
          break;
        case 3:
          group.cut[unit] = bytes == 0 ? 0 : random.nextInt(bytes);
          break;
        default:
          if (bytes > 0) {
            group.flips[unit].add((long) random.nextInt(bytes));
          }
      }
    }
    if (random.nextInt(3) == 0) {
      // A bit in many blocks, each in a stripe of its own: readable, if read stripe by stripe.
      int cell = group.geometry.cellBytes();
      for (int unit = 0; unit < units; unit++) {
        long offset = (long) unit * cell + random.nextInt(cell);
        if (offset < group.geometry.unitBytes(unit)) {
          group.flips[unit].add(offset);
        }
      }
    }
    // With something hanging, the rest must not push the group over what can be decoded.
    if (isAnyHung(group)) {
      for (int unit = 0; unit < units; unit++) {
        if (!group.hung[unit]) {
          group.dead[unit] = false;
          group.absent[unit] = false;
          group.cut[unit] = Long.MAX_VALUE;
          group.flips[unit].clear();
        }
      }
    }
  }

  private static boolean isAnyHung(MemoryGroup group) {
    for (boolean unit : group.hung) {
      if (unit) {
        return true;
      }
    }
    return false;
  }

  private static int hungOrGone(MemoryGroup group) {
    int count = 0;
    for (int unit = 0; unit < group.hung.length; unit++) {
      if (group.hung[unit]) {
        count++;
      }
    }
    return count;
  }

  /** Works out independently whether each stripe of a range has k units that are whole in it. */
  private static boolean isReadable(MemoryGroup group, int from, int to, int m) {
    GroupGeometry geometry = group.geometry;
    int stripe = (int) geometry.stripeBytes();
    for (int row = from / stripe; row <= (to - 1) / stripe; row++) {
      int bad = 0;
      for (int unit = 0; unit < geometry.units(); unit++) {
        long lo = (long) row * geometry.cellBytes();
        long hi = Math.min(lo + geometry.cellBytes(), geometry.unitBytes(unit));
        if (lo >= hi) {
          continue;
        }
        boolean flipped = !group.flips[unit].subSet(lo, hi).isEmpty();
        if (group.dead[unit] || group.absent[unit] || group.cut[unit] < hi || flipped) {
          bad++;
        }
      }
      if (bad > m) {
        return false;
      }
    }
    return true;
  }

  @Test
  void whatHangsCostsOnce() throws IOException {
    // Long enough that on a busy machine nothing else is taken for hanging.
    context = context("1h", 500);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 20, true, 5);
    group.hung[2] = true;
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.opensOfUnit.get(2)).isPositive();
    int before = group.opensOfUnit.get(2);
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.opensOfUnit.get(2)).isEqualTo(before);
    group.released.countDown();
    await(() -> group.openReaders.get() == 0);
    assertThatNothingWasPutAfterwards("what hangs");
  }

  @Test
  void tooManyFailuresAreNamed() throws IOException {
    MemoryGroup group = new MemoryGroup(3, 2, 1024, 9000, true, 6);
    group.dead[0] = true;
    group.dead[1] = true;
    group.absent[4] = true;
    assertThatThrownBy(() -> readRange(group, 100, 200))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("bytes 100 to 199 of /memory, block group 1")
        .hasMessageContaining("3 of 5 internal blocks are needed and 3 are missing")
        .hasMessageContaining("internal block 0: node0: refused")
        .hasMessageContaining("internal block 4: no DataNode has it");
    assertThat(group.refreshes.get()).isEqualTo(1);
    group.dead[1] = false;
    assertThat(readRange(group, 100, 200)).isEqualTo(Arrays.copyOfRange(group.data, 100, 200));
  }

  @Test
  void anInterruptedReaderIsLetGo() throws Exception {
    MemoryGroup group = new MemoryGroup(2, 1, 1024, 4096, true, 7);
    group.hung[0] = true;
    group.hung[1] = true;
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> readRange(group, 0, 4096))
        .isInstanceOf(java.io.InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    await(() -> group.openReaders.get() == 0);
  }

  @Test
  void randomReadsFetchWhatTheyNeed() throws IOException {
    MemoryGroup group = new MemoryGroup(6, 3, 64 << 10, 6 * (64 << 10) * 4, true, 8);
    long before = ReadContext.counters().get(ReadCount.BYTES_FETCHED);
    readRange(group, 70_000, 80_000);
    assertThat(ReadContext.counters().get(ReadCount.BYTES_FETCHED) - before).isBetween(10_000L, 10_000L + 2 * 511);
    assertThat(group.opens.get()).isEqualTo(1);
  }
}
