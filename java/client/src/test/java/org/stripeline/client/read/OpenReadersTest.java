// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stripeline.client.read.MemoryGroup.readThrough;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.testkit.Conditions;

/**
 * Tests sequential windows, which open readers for more than they fetch, with any accesses and
 * failures.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class OpenReadersTest extends ReadPipelineCase {
  private static final int[][] CODES = {{3, 2}, {6, 3}, {10, 4}};
  private static final int[] CELLS = {4 << 10, 64 << 10, 100 << 10, 256 << 10, 1 << 20};

  /** Any accesses, with as many failures of any kind as the code corrects, at any time. */
  @Test
  void anyAccessReadsTheBytesOfTheGroup() throws Exception {
    for (int seed = 0; seed < 100; seed++) {
      Random random = new Random(seed);
      context = context(seed % 2 == 0 ? "0" : "1h", 20);
      MemoryGroup group = anyGroup(random, seed);
      int units = group.geometry.units();
      int mayFail = units - group.geometry.dataUnits();
      List<Integer> failing = anyUnits(random, units, random.nextInt(mayFail + 1));
      int drawn = failing.isEmpty() ? 0 : random.nextInt(40);
      int failsAt = drawn < 10 ? 0 : drawn;
      SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
      window.enter(reader(group));
      int at = 0;
      for (int read = 0; read < 40; read++) {
        if (read == failsAt) {
          failing.forEach(unit -> fail(group, unit, random));
        }
        at = anyOffset(random, at, group.data.length);
        int to = Math.min(group.data.length, at + anyLength(random));
        window.begin();
        try {
          assertThat(Arrays.equals(readThrough(window, at, to), part(group, at, to)))
              .as("seed %d, read %d from %d to %d, failing %s", seed, read, at, to, failing)
              .isTrue();
        } finally {
          window.end();
        }
        if (random.nextInt(15) == 0) {
          window.putAway();
        }
        at = to;
      }
      group.released.countDown();
      window.close();
      Conditions.await(
          "all readers of seed " + seed + " to be closed", () -> group.openReaders.get() == 0);
    }
  }

  private static MemoryGroup anyGroup(Random random, long seed) throws IOException {
    int[] code = CODES[random.nextInt(CODES.length)];
    int cell = CELLS[random.nextInt(CELLS.length)];
    double stripes = Math.exp(random.nextDouble() * 5 - 2);
    int length = (int) Math.min(24 << 20, 1 + stripes * code[0] * cell);
    return new MemoryGroup(code[0], code[1], cell, length, random.nextBoolean(), seed);
  }

  private static List<Integer> anyUnits(Random random, int units, int count) {
    List<Integer> chosen = new ArrayList<>();
    while (chosen.size() < count) {
      int unit = random.nextInt(units);
      if (!chosen.contains(unit)) {
        chosen.add(unit);
      }
    }
    return chosen;
  }

  private static void fail(MemoryGroup group, int unit, Random random) {
    long bytes = group.geometry.unitBytes(unit);
    switch (random.nextInt(4)) {
      case 0:
        group.dead[unit] = true;
        break;
      case 1:
        group.hung[unit] = true;
        break;
      case 2:
        group.cut[unit] = (long) (bytes * random.nextDouble());
        break;
      default:
        group.flips[unit].add((long) (bytes * random.nextDouble()) / 512 * 512);
        break;
    }
  }

  private static int anyOffset(Random random, int at, int length) {
    switch (random.nextInt(6)) {
      case 0:
        return random.nextInt(length);
      case 1:
        return Math.max(0, at - 1 - random.nextInt(300_000)) % length;
      case 2:
        return (at + random.nextInt(300_000)) % length;
      default:
        return at % length;
    }
  }

  private static int anyLength(Random random) {
    return 1 + (int) Math.exp(random.nextDouble() * (random.nextInt(4) == 0 ? 15.5 : 12));
  }

  private static byte[] part(MemoryGroup group, int from, int to) {
    return Arrays.copyOfRange(group.data, from, to);
  }

  /** A stream that reads on and skips: Hadoop's client requests the group to its end each time. */
  @Test
  void aForwardReaderRequestsNoMoreThanHadoops() throws Exception {
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      context = context("1h", 10_000);
      int cell = CELLS[1 + random.nextInt(4)];
      int length = (16 << 20) + random.nextInt(8 << 20);
      MemoryGroup group = new MemoryGroup(6, 3, cell, length, true, 5);
      int read = 1 + (int) Math.exp(random.nextDouble() * 16);
      int skip = (int) Math.exp(random.nextDouble() * 14);
      long stock = 0;
      long stripeEnd = -1;
      try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
        window.enter(reader(group));
        for (int at = random.nextInt(4 << 20); at < group.data.length; at += read + skip) {
          int to = Math.min(group.data.length, at + read);
          if (stripeEnd < 0 || at > stripeEnd || skip > 0 && at == stripeEnd) {
            stock += group.data.length - at;
          }
          readThrough(window, at, to);
          stripeEnd = group.geometry.stripeEnd(to - 1);
        }
      }
      Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
      // Packets that a lane does not skip within a stripe are requested again, as before.
      assertThat(group.asked.get())
          .as("seed %d, cell %d, read %d, skip %d", seed, cell, read, skip)
          .isLessThanOrEqualTo(stock + stock / 10 + 512L * group.opens.get());
    }
  }

  /** The replacement is opened where the failed reader was, and once for the rest of the group. */
  @Test
  void aFailureOfAReaderThatIsOpenToTheEndIsReplacedOnce() throws Exception {
    int cell = 64 << 10;
    int stripe = 6 * cell;
    for (int kind = 0; kind < 3; kind++) {
      context = context("1h", 10_000);
      MemoryGroup group = new MemoryGroup(6, 3, cell, 60 * stripe, true, 9);
      try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
        window.enter(reader(group));
        scan(window, group, 0, 40 * stripe, 64 << 10);
        int opens = group.opens.get();
        int of = 2;
        if (kind == 0) {
          group.cut[of] = 45 * cell + 700;
        } else if (kind == 1) {
          group.flips[of].add(45L * cell + 1024);
        } else {
          group.cut[of] = 45 * cell;
          group.dead[of] = true;
        }
        scan(window, group, 40 * stripe, 60 * stripe, 64 << 10);
        // Two segments are under way. Each may try the failed unit again, and the second may
        // ask for the parity unit first.
        assertThat(group.opensOfUnit.get(6)).as("kind %d", kind).isBetween(1, 2);
        assertThat(group.opens.get()).as("kind %d", kind).isLessThanOrEqualTo(opens + 2 + 3);
      }
      Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
      // The rest of the parity unit and of the failed unit, twice at most.
      assertThat(group.asked.get()).isLessThanOrEqualTo(60 * stripe + 4 * 16 * cell);
    }
  }

  /** An internal block that is rebuilt elsewhere is read there from where the old reader ended. */
  @Test
  void anInternalBlockThatMovesIsReadOn() throws Exception {
    int cell = 64 << 10;
    int stripe = 6 * cell;
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, cell, 60 * stripe, true, 9);
    AtomicInteger failures = new AtomicInteger(1);
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      scan(window, group, 0, 40 * stripe, 64 << 10);
      int opens = group.opens.get();
      // The old DataNode deletes the block, which ends its connections; the new one serves it.
      group.place = " new";
      group.whenReading =
          unit -> {
            if (unit == 2 && failures.getAndDecrement() == 1) {
              throw new InterruptedException();
            }
          };
      scan(window, group, 40 * stripe, 60 * stripe, 64 << 10);
      assertThat(group.opens.get()).isEqualTo(opens + 1);
      assertThat(group.opensOfUnit.get(6)).isZero();
    }
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
    assertThat(group.asked.get()).isLessThanOrEqualTo(60 * stripe + 20 * cell);
  }

  /** Segments of stripes of more than 64 MiB that begin within a chunk. */
  @Test
  void aScanOfWideCellsOpensFewReaders() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(3, 2, 24 << 20, 24 << 20, true, 9);
    try (SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
      window.enter(reader(group));
      scan(window, group, 1_000_001, 1_000_001 + (16 << 20), 64 << 10);
    }
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
    assertThat(group.opens.get()).isLessThanOrEqualTo(3);
    assertThat(group.asked.get()).isLessThanOrEqualTo(group.data.length);
  }

  /** A stream that pauses for longer than readers stay open continues where they were. */
  @Test
  void readersThatWereClosedWhileIdleAreOpenedOnceMore() throws Exception {
    context = context("1h", 10_000);
    List<SequentialWindow> windows = new ArrayList<>();
    MemoryGroup shared = new MemoryGroup(6, 3, 64 << 10, 60 * 6 * (64 << 10), true, 9);
    for (int i = 0; i < 200; i++) {
      SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
      window.enter(reader(shared));
      readThrough(window, 0, 1000);
      windows.add(window);
    }
    scan(windows.get(7), shared, 1000, 12 << 20, 64 << 10);
    Conditions.await("idle readers to be closed", () -> shared.openReaders.get() == 0);
    assertThat(context.idleLanes().size()).isZero();
    int opens = shared.opens.get();
    scan(windows.get(7), shared, 12 << 20, 20 << 20, 64 << 10);
    assertThat(shared.opens.get() - opens).isLessThanOrEqualTo(6);
    opens = shared.opens.get();
    scan(windows.get(8), shared, 1000, 1 << 20, 64 << 10);
    assertThat(shared.opens.get() - opens).isLessThanOrEqualTo(2 * 6);
    windows.forEach(SequentialWindow::close);
    Conditions.await("all readers to be closed", () -> shared.openReaders.get() == 0);
  }
}
