// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stripeline.client.read.MemoryGroup.readThrough;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCounters;
import org.stripeline.testkit.Conditions;

/**
 * Tests the pipeline with block groups in memory and every fault that an internal block can have.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReadPipelineTest extends ReadPipelineCase {
  private static final int CASES = Integer.getInteger("stripeline.test.cases", 300);

  @Test
  void seededFaultsGiveRightBytesOrAnException() throws IOException {
    int threw = 0;
    for (long seed = Long.getLong("stripeline.test.first", 0L); seed < CASES; seed++) {
      threw += runCase(seed);
    }
    // Both outcomes must occur, or the faults are too few or too many.
    assertThat(threw).isBetween(CASES / 50, CASES * 4 / 5);
  }

  /**
   * Runs a case; returns 1 if part of it was unreadable because more than m units of a stripe had
   * failed.
   */
  private int runCase(long seed) throws IOException {
    Random random = new Random(seed);
    int k = 1 + random.nextInt(6);
    int m = 1 + random.nextInt(3);
    int cell = 512 * (1 + random.nextInt(8)) * (random.nextInt(8) == 0 ? 128 : 1);
    int length = 1 + random.nextInt(k * cell * 5);
    MemoryGroup group = new MemoryGroup(k, m, cell, length, random.nextBoolean(), seed);
    group.portion = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(2 * cell);
    group.decodesAside = random.nextBoolean();
    group.deviceFails = random.nextInt(4) == 0;
    injure(group, random, m);
    int threw = 0;
    try (GroupReader reader = reader(group);
        SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
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
          assertThat(isReadable(group, position, to, m)).as("seed %d: %s", seed, e).isFalse();
          assertThat(e).hasMessageContaining("/memory, block group 1");
          threw = 1;
        }
        position = to;
      }
    }
    group.released.countDown();
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
    assertThatNothingWasPutAfterwards("seed " + seed);
    return threw;
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
          // A reader can wait for a hung unit forever unless decoding can do without it.
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
      // One bit in many blocks, each in a different stripe: readable if read stripe by stripe.
      int cell = group.geometry.cellBytes();
      for (int unit = 0; unit < units; unit++) {
        long offset = (long) unit * cell + random.nextInt(cell);
        if (offset < group.geometry.unitBytes(unit)) {
          group.flips[unit].add(offset);
        }
      }
    }
    // With a hung unit, the other faults must not exceed what can be decoded.
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

  /** Determines independently whether each stripe of a range has k intact units. */
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
  void anInterruptedReaderReturns() throws Exception {
    // A read that is late already may go on, to learn when its DataNode answers.
    context = context("0", 10_000);
    MemoryGroup group = new MemoryGroup(2, 1, 1024, 4096, true, 7);
    group.hung[0] = true;
    group.hung[1] = true;
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> readRange(group, 0, 4096))
        .isInstanceOf(java.io.InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
  }

  /**
   * Some sources of the decode belong to an earlier segment, whose buffers are released at once.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReadCancelledDuringADecodeReleasesAllBuffers(boolean isAside) throws Exception {
    context = context("1h", 10_000);
    int cell = 64 << 10;
    MemoryGroup group = new MemoryGroup(3, 2, cell, 3 * cell * 10, true, 9);
    group.dead[1] = true;
    group.decodesAside = isAside;
    GroupReader reader = reader(group);
    SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
    window.enter(reader);
    readThrough(window, 3 * cell, 4 * cell);
    CompletableFuture<Thread> decoding = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    group.whenDecoding =
        () -> {
          decoding.complete(Thread.currentThread());
          try {
            over.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    FutureTask<byte[]> read =
        new FutureTask<>(
            () -> {
              window.begin();
              try {
                return readThrough(window, 4 * cell, 5 * cell);
              } finally {
                window.end();
                window.close();
              }
            });
    Thread stream = new Thread(read, "stream");
    stream.start();
    Thread decoder = decoding.get();
    reader.abort("Stream closed");
    if (decoder == stream) {
      // The stream was quicker than the thread that fetched the last source, and ends after the
      // decode.
      over.countDown();
      assertThatThrownBy(read::get).hasRootCauseMessage("Stream closed");
    } else {
      assertThatThrownBy(read::get).hasRootCauseMessage("Stream closed");
      assertThat(ReadContext.usedBufferBytes()).isGreaterThan(buffersBefore);
      over.countDown();
    }
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
  }

  /** Several threads read one group; units die and hang while segments share sources. */
  @Test
  void seededFaultsDuringReadsNeverGiveWrongBytes() throws Exception {
    long first = Long.getLong("stripeline.test.first", 0L);
    for (long seed = first; seed < first + CASES / 3; seed++) {
      runStorm(seed);
    }
  }

  private void runStorm(long seed) throws Exception {
    Random random = new Random(seed);
    int k = 1 + random.nextInt(6);
    int m = 1 + random.nextInt(3);
    int cell = 1024 * (1 + random.nextInt(8)) * (random.nextInt(4) == 0 ? 16 : 1);
    int length = 1 + random.nextInt(k * cell * 4);
    MemoryGroup group = new MemoryGroup(k, m, cell, length, random.nextBoolean(), seed);
    group.portion = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(2 * cell);
    group.decodesAside = random.nextBoolean();
    group.deviceFails = random.nextInt(4) == 0;
    // At most m in total, so that every read must succeed.
    List<Integer> bad = new ArrayList<>();
    for (int unit = 0; unit < k + m; unit++) {
      bad.add(unit);
    }
    Collections.shuffle(bad, random);
    bad.subList(m, bad.size()).clear();
    boolean closes = random.nextInt(4) == 0;
    GroupKnowledge knowledge =
        new GroupKnowledge(group, k, m, cell, length, false, context.ticker());
    List<GroupReader> readers = Collections.synchronizedList(new ArrayList<>());
    AtomicBoolean isClosed = new AtomicBoolean();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      boolean sequential = thread == 0;
      Random choices = new Random(random.nextLong());
      tasks.add(
          new FutureTask<>(
              () -> {
                try (SequentialWindow window =
                    new SequentialWindow(context, MemoryGroup.UNCOUNTED)) {
                  storm(group, knowledge, readers, isClosed, sequential ? window : null, choices);
                } catch (IOException e) {
                  assertThat(isClosed).as("seed %d: %s", seed, e).isTrue();
                }
                return null;
              }));
    }
    tasks.forEach(task -> new Thread(task, "storm").start());
    for (int unit : bad) {
      for (int turn = random.nextInt(3_000); turn > 0; turn--) {
        Thread.onSpinWait();
      }
      strike(group, unit, random.nextInt(4), random);
    }
    if (closes) {
      isClosed.set(true);
      synchronized (readers) {
        readers.forEach(reader -> reader.abort("Stream closed"));
      }
    }
    for (FutureTask<Void> task : tasks) {
      try {
        task.get();
      } catch (ExecutionException e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    group.released.countDown();
    Conditions.await("all readers to be closed", () -> group.openReaders.get() == 0);
  }

  private static void strike(MemoryGroup group, int unit, int how, Random random) {
    switch (how) {
      case 0:
        group.dead[unit] = true;
        break;
      case 1:
        group.hung[unit] = true;
        break;
      case 2:
        group.absent[unit] = true;
        break;
      default:
        group.cut[unit] = random.nextInt(Math.max(1, (int) group.geometry.unitBytes(unit)));
    }
  }

  /** Seeks and reads sequentially in small parts, or reads by position. */
  private void storm(
      MemoryGroup group,
      GroupKnowledge knowledge,
      List<GroupReader> readers,
      AtomicBoolean isClosed,
      SequentialWindow window,
      Random random)
      throws IOException {
    int length = group.data.length;
    int cell = group.geometry.cellBytes();
    if (window != null) {
      window.enter(open(knowledge, readers, isClosed));
    }
    int position = 0;
    for (int step = 0; step < 40; step++) {
      if (random.nextInt(4) == 0 || position >= length) {
        position = random.nextInt(length);
      }
      int to =
          Math.min(length, position + 1 + random.nextInt(random.nextBoolean() ? 700 : 2 * cell));
      byte[] got;
      if (window != null) {
        window.begin();
        try {
          got = readThrough(window, position, to);
        } finally {
          window.end();
        }
      } else {
        ByteBuffer target = ByteBuffer.allocate(to - position);
        try (GroupReader reader = open(knowledge, readers, isClosed)) {
          new RangeRead(reader, MemoryGroup.UNCOUNTED).read(position, to, to, target);
        }
        got = target.array();
      }
      if (!Arrays.equals(got, Arrays.copyOfRange(group.data, position, to))) {
        throw new AssertionError("wrong bytes from " + position + " to " + to);
      }
      position = to;
    }
  }

  private GroupReader open(
      GroupKnowledge knowledge, List<GroupReader> readers, AtomicBoolean isClosed)
      throws IOException {
    GroupReader reader =
        new GroupReader(context, knowledge, new ReadCounters(ReadContext.counters()));
    readers.add(reader);
    if (isClosed.get()) {
      reader.close();
      throw new IOException("Stream closed");
    }
    return reader;
  }

  /** An Error on a thread that fetches or decodes fails the read that waits for it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void errorsReachWaitingReaders(boolean isAside) throws Exception {
    MemoryGroup group = new MemoryGroup(2, 1, 1024, 4096, true, 7);
    group.dead[0] = true;
    group.decodesAside = isAside;
    group.decodeError = new InternalError("broken");
    assertThatThrownBy(() -> readRange(group, 0, 4096))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/memory, block group 1");
    group.decodeError = null;
    assertThat(readRange(group, 0, 4096)).isEqualTo(group.data);
  }
}
