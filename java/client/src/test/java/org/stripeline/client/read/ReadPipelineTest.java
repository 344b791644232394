// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.ClientKeys;

/**
 * Tests the pipeline with block groups in memory and every fault that an internal block can have.
 */
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

  /** The content of a buffer that the caller has taken back, used to detect later writes. */
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
          assertThat(isReadable(group, position, to, m)).as("seed %d: %s", seed, e).isFalse();
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
  void whatHangsCostsOnce() throws IOException {
    // Long enough that on a busy machine no healthy unit is treated as hung.
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
    assertThat(ReadContext.counters().get(ReadCount.BYTES_FETCHED) - before)
        .isBetween(10_000L, 10_000L + 2 * 511);
    assertThat(group.opens.get()).isEqualTo(1);
  }

  /** Concurrent streams, each with its own group on the same nine DataNodes, one of which hangs. */
  @Test
  void oneHungDataNodeCostsEachStreamOneWaitAtMost() throws Exception {
    context = context("1h", 200);
    int streams = 100;
    List<MemoryGroup> groups = new ArrayList<>();
    List<FutureTask<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      MemoryGroup group = new MemoryGroup(6, 3, 1024, 6 * 1024 * 40, true, i);
      group.hung[4] = true;
      groups.add(group);
      reads.add(
          new FutureTask<>(
              () -> {
                try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
                  window.enter(reader(group));
                  return readThrough(window, 0, group.data.length);
                }
              }));
    }

    for (FutureTask<byte[]> read : reads) {
      new Thread(read, "stream").start();
    }

    for (int i = 0; i < streams; i++) {
      assertThat(reads.get(i).get()).isEqualTo(groups.get(i).data);
    }
    // The first stream to detect the hang marks the DataNode for all; no stream asks it again.
    for (MemoryGroup group : groups) {
      assertThat(group.opensOfUnit.get(4)).isLessThanOrEqualTo(1);
    }
    // One read waits for the DataNode, to find out whether it hangs; the others have ended.
    await(() -> hanging(groups) <= 1);
    for (MemoryGroup group : groups) {
      group.released.countDown();
    }
    await(() -> groups.stream().allMatch(group -> group.openReaders.get() == 0));
  }

  /** Reads of other disks succeed all the time, which keeps the DataNode healthy. */
  @Test
  void aHungDiskOfAHealthyDataNodeCostsOneWait() throws Exception {
    context = context("1h", 500);
    int stripe = 6 * 4096;
    MemoryGroup hung = new MemoryGroup(6, 3, 4096, stripe * 20, true, 5);
    MemoryGroup sameDisk = new MemoryGroup(6, 3, 4096, stripe, true, 6);
    MemoryGroup otherDisk = new MemoryGroup(6, 3, 4096, stripe, true, 7);
    hung.hung[2] = true;
    sameDisk.hung[2] = true;
    otherDisk.disk = "disk 1";
    sameDisk.name = "/memory, block group 2";
    otherDisk.name = "/memory, block group 3";
    for (int at = 0; at < hung.data.length; at += stripe) {
      assertThat(readRange(hung, at, at + stripe))
          .isEqualTo(Arrays.copyOfRange(hung.data, at, at + stripe));
      // A pending read of another disk ends.
      context.health().markHealthy("node2");
      assertThat(readRange(otherDisk, 0, stripe)).isEqualTo(otherDisk.data);
      assertThat(readRange(sameDisk, 0, stripe)).isEqualTo(sameDisk.data);
    }
    assertThat(hung.opensOfUnit.get(2)).isEqualTo(1);
    assertThat(sameDisk.opensOfUnit.get(2)).isZero();
    assertThat(otherDisk.opensOfUnit.get(2)).isEqualTo(20);
    hung.released.countDown();
    await(() -> hung.openReaders.get() == 0);
    assertThat(context.health().isSuspect("node2, storage disk 0 of node2")).isFalse();
    assertThatNothingWasPutAfterwards("a hung disk");
  }

  /** A disk may serve all blocks except one that it cannot read. */
  @Test
  void aBlockThatHangsCostsOneWaitThoughItsDiskServesOthers() throws Exception {
    context = context("1h", 500);
    int stripe = 6 * 4096;
    MemoryGroup hung = new MemoryGroup(6, 3, 4096, stripe * 20, true, 5);
    hung.hung[2] = true;
    Replica other = new Replica("node2", hung.storage(2), "2 of another group");
    for (int at = 0; at < hung.data.length; at += stripe) {
      assertThat(readRange(hung, at, at + stripe))
          .isEqualTo(Arrays.copyOfRange(hung.data, at, at + stripe));
      other.markHealthy(context.health());
    }
    assertThat(hung.opensOfUnit.get(2)).isEqualTo(1);
    hung.released.countDown();
    await(() -> hung.openReaders.get() == 0);
    assertThatNothingWasPutAfterwards("a hung block");
  }

  /**
   * Some sources of the decode belong to an earlier segment, whose buffers are released at once.
   */
  @Test
  void aReadThatIsEndedDuringADecodeGivesAllBuffersBack() throws Exception {
    context = context("1h", 10_000);
    int cell = 64 << 10;
    MemoryGroup group = new MemoryGroup(3, 2, cell, 3 * cell * 10, true, 9);
    group.dead[1] = true;
    GroupReader reader = reader(group);
    SequentialWindow window = new SequentialWindow(context, uncounted);
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
    await(() -> group.openReaders.get() == 0);
  }

  /** Several threads read one group; units die and hang while segments share sources. */
  @Test
  void seededStormsNeverGiveWrongBytes() throws Exception {
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
    // At most m in total, so that every read must succeed.
    List<Integer> bad = new ArrayList<>();
    for (int unit = 0; unit < k + m; unit++) {
      bad.add(unit);
    }
    Collections.shuffle(bad, random);
    bad.subList(m, bad.size()).clear();
    boolean closes = random.nextInt(4) == 0;
    GroupKnowledge knowledge = new GroupKnowledge(group, k, m, cell, length);
    List<GroupReader> readers = Collections.synchronizedList(new ArrayList<>());
    AtomicBoolean isClosed = new AtomicBoolean();
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < 3; thread++) {
      boolean sequential = thread == 0;
      Random choices = new Random(random.nextLong());
      tasks.add(
          new FutureTask<>(
              () -> {
                try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
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
    await(() -> group.openReaders.get() == 0);
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
          new RangeRead(reader, uncounted).read(position, to, to, target);
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

  private static long hanging(List<MemoryGroup> groups) {
    return groups.stream().filter(group -> group.openReaders.get() > 0).count();
  }

  @Test
  void oneReadDecidesWhetherADataNodeIsTrustedAgain() throws Exception {
    context = context("300ms", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 20, true, 5);
    group.hung[2] = true;
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    assertThat(context.health().isSuspect("node2")).isTrue();
    await(() -> !context.health().isSuspect("node2"));
    assertThat(context.health().admits("node2")).isTrue();
    assertThat(context.health().admits("node2")).isFalse();
    group.released.countDown();
    group.hung[2] = false;
    await(() -> !context.health().isSuspect("node2"));
    int before = group.opensOfUnit.get(2);
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.opensOfUnit.get(2)).isGreaterThan(before);
    assertThat(context.health().admits("node2")).isTrue();
    assertThat(context.health().admits("node2")).isTrue();
  }

  /** A late read may end just before it is cancelled. */
  @Test
  void aReadThatHasEndedDoesNotLinger() throws Exception {
    MemoryGroup group = new MemoryGroup(2, 1, 1024, 4096, true, 7);
    try (GroupReader reader = reader(group);
        Segment segment = reader.fetchAgain(0, 1024, null)) {
      segment.await();
      SpanRead ended = new SpanRead(segment, 0, new Span(0, 1024), 1024, null, null);
      ended.late = true;
      ended.lane = new Lane(group, 0, context);
      reader.cancel(ended);
      SpanRead other = new SpanRead(segment, 0, new Span(0, 1024), 1024, null, null);
      assertThat(context.health().mayLinger("node0", other)).isTrue();
    }
  }

  @Test
  void whatFailedOnceIsAskedAgain() throws Exception {
    context = context("100ms", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.cut[1] = 5;
    try (GroupReader reader = reader(group)) {
      ByteBuffer target = ByteBuffer.allocate(4096);
      new RangeRead(reader, uncounted).read(4096, 8192, 8192, target);
      int before = group.opensOfUnit.get(1);
      group.cut[1] = Long.MAX_VALUE;
      await(() -> reader.standing(1) == GroupKnowledge.Standing.GOOD);
      new RangeRead(reader, uncounted).read(4096, 8192, 8192, ByteBuffer.allocate(4096));
      assertThat(group.opensOfUnit.get(1)).isEqualTo(before + 1);
    }
  }

  @Test
  void whatWasCorruptIsAskedAgainOnAnotherDataNode() throws Exception {
    context = context("1h", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.flips[1].add(77L);
    try (GroupReader reader = reader(group)) {
      new RangeRead(reader, uncounted).read(4096, 8192, 8192, ByteBuffer.allocate(4096));
      assertThat(reader.standing(1)).isEqualTo(GroupKnowledge.Standing.FAULTY);
      group.flips[1].clear();
      group.place = ":2";
      int before = group.opensOfUnit.get(1);
      new RangeRead(reader, uncounted).read(4096, 8192, 8192, ByteBuffer.allocate(4096));
      assertThat(group.opensOfUnit.get(1)).isEqualTo(before + 1);
    }
  }

  /**
   * The same happens after the NameNode has dropped the blocks of a DataNode that was down for
   * long.
   */
  @Test
  void whatNoDataNodeHadIsFoundWhenItIsBack() throws Exception {
    context = context("100ms", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.absent[1] = true;
    group.found = () -> group.absent[1] = false;
    try (GroupReader reader = reader(group)) {
      ByteBuffer target = ByteBuffer.allocate(4096);
      await(
          () -> {
            target.clear();
            try {
              new RangeRead(reader, uncounted).read(4096, 8192, 8192, target);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
            return group.opensOfUnit.get(1) > 0;
          });
      assertThat(target.array()).isEqualTo(Arrays.copyOfRange(group.data, 4096, 8192));
    }
  }

  /**
   * Other streams may have made a DataNode suspect; then this stream sees no failure of its own.
   */
  @Test
  void whatHasLeftASuspectDataNodeIsFound() throws Exception {
    context = context("100ms", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.dead[1] = true;
    group.found =
        () -> {
          group.place = ":2";
          group.dead[1] = false;
        };
    try (GroupReader reader = reader(group)) {
      RangeRead range = new RangeRead(reader, uncounted);
      await(
          () -> {
            try {
              range.read(4096, 8192, 8192, ByteBuffer.allocate(4096));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
            return reader.standing(1) == GroupKnowledge.Standing.GOOD && group.place.equals(":2");
          });
    }
  }

  @Test
  void aLateReadSpeaksForTheDataNodeThatItWasSentTo() throws Exception {
    context = context("1h", 100);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 4, true, 5);
    group.hung[2] = true;
    assertThat(readRange(group, 0, group.data.length)).isEqualTo(group.data);
    group.place = ":2";
    context.health().markSuspect("node2:2", "test");
    group.released.countDown();
    await(() -> !context.health().isSuspect("node2"));
    assertThat(context.health().isSuspect("node2:2")).isTrue();
  }

  /** An Error on a thread that fetches or decodes fails the read that waits for it. */
  @Test
  void errorsReachWhoWaits() throws Exception {
    MemoryGroup group = new MemoryGroup(2, 1, 1024, 4096, true, 7);
    group.dead[0] = true;
    group.decodeError = new InternalError("broken");
    assertThatThrownBy(() -> readRange(group, 0, 4096))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/memory, block group 1");
    group.decodeError = null;
    assertThat(readRange(group, 0, 4096)).isEqualTo(group.data);
  }

  @Test
  void idleReadersArePutAway() throws Exception {
    List<GroupReader> idle = new ArrayList<>();
    List<MemoryGroup> groups = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      MemoryGroup group = new MemoryGroup(3, 2, 4096, 3 * 4096 * 50, true, i);
      GroupReader reader = reader(group);
      new RangeRead(reader, uncounted)
          .read(0, 3 * 4096, group.data.length, ByteBuffer.allocate(3 * 4096));
      groups.add(group);
      idle.add(reader);
    }
    await(() -> groups.stream().allMatch(group -> group.openReaders.get() == 0));
    assertThat(context.idleLanes().size()).isZero();
    ByteBuffer target = ByteBuffer.allocate(3 * 4096);
    new RangeRead(idle.get(7), uncounted).read(3 * 4096, 6 * 4096, 6 * 4096, target);
    assertThat(target.array())
        .isEqualTo(Arrays.copyOfRange(groups.get(7).data, 3 * 4096, 6 * 4096));
    // A reader at its end is closed at once, so that another stream can use its connection.
    await(() -> groups.get(7).openReaders.get() == 0);
    idle.forEach(GroupReader::close);
  }

  /** DataNodes send everything that was requested, needed or not. */
  @Test
  void aJumpAndTwoSmallReadsAskForLittle() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, 6 * (1 << 20) * 4, true, 9);
    try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
      window.enter(reader(group));
      readThrough(window, 3_000_000, 3_004_096);
      readThrough(window, 3_004_096, 3_008_192);
    }
    await(() -> group.openReaders.get() == 0);
    assertThat(group.asked.get()).isLessThanOrEqualTo((64 << 10) + 512);
  }

  /**
   * The access pattern of HBase when it opens a store file: the trailer, then three blocks before
   * it, each header first.
   */
  @Test
  void smallReadsInARowShareARequest() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, 6 * (1 << 20) * 2 + 500_000, true, 9);
    int length = group.data.length;
    try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
      window.enter(reader(group));
      readThrough(window, length - 4096, length);
      int at = length - 4096 - 20_000;
      for (int bytes : new int[] {33, 12_000, 4_000, 3_967}) {
        assertThat(readThrough(window, at, at + bytes))
            .isEqualTo(Arrays.copyOfRange(group.data, at, at + bytes));
        at += bytes;
      }
    }
    assertThat(group.opens.get()).isEqualTo(2);
    assertThat(group.asked.get()).isLessThanOrEqualTo(2 * 4096 + 20_000 + 2 * 512);
  }

  /**
   * Reads the end of a cell and the beginning of the next, both lost: only the needed parts of the
   * cells must be decoded.
   */
  @Test
  void aReadAcrossTwoLostCellsDecodesWhatItWants() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, 6 * (1 << 20) * 2, true, 9);
    group.dead[2] = true;
    group.dead[3] = true;
    int from = 3 * (1 << 20) - 40_000;
    assertThat(readRange(group, from, from + 65_536))
        .isEqualTo(Arrays.copyOfRange(group.data, from, from + 65_536));
    assertThat(group.asked.get()).isLessThanOrEqualTo(6 * (65_536 + 4 * 512));
  }

  /**
   * Two lost cells at the end of a stripe: the sources of the first are sufficient for the second.
   */
  @Test
  void whatWasReadBeforeSufficesToDecode() throws Exception {
    context = context("1h", 10_000);
    int cell = 64 << 10;
    MemoryGroup group = new MemoryGroup(3, 2, cell, 3 * cell * 10, true, 9);
    group.dead[1] = true;
    group.dead[2] = true;
    try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
      window.enter(reader(group));
      for (int at = 4 * cell; at < 6 * cell; at += cell) {
        assertThat(readThrough(window, at, at + cell))
            .isEqualTo(Arrays.copyOfRange(group.data, at, at + cell));
      }
    }
    assertThat(group.asked.get()).isEqualTo(3 * cell);
  }

  /**
   * Lets the client detect the dead DataNodes; otherwise the number of requests would depend on
   * timing.
   */
  private void meetDead(MemoryGroup group) throws IOException {
    for (int unit = 0; unit < group.geometry.dataUnits(); unit++) {
      if (group.dead[unit]) {
        int at = (int) group.geometry.offsetInGroup(unit, 0);
        readRange(group, at, at + 1);
      }
    }
    group.asked.set(0);
  }

  /** Spans that the caller needs are also used as sources, even if they cover only a part. */
  @Test
  void aLongReadPastADeadDataNodeAsksForEachByteOnce() throws Exception {
    context = context("1h", 10_000);
    int cell = 64 << 10;
    for (int dead = 0; dead < 6; dead++) {
      MemoryGroup group = new MemoryGroup(6, 3, cell, 6 * cell * 60, true, 9);
      group.dead[dead] = true;
      meetDead(group);
      int from = 6 * cell + 2 * cell + 10_000;
      int to = 6 * cell * 40 + 4 * cell + 20_000;
      assertThat(readRange(group, from, to)).isEqualTo(Arrays.copyOfRange(group.data, from, to));
      assertThat(group.asked.get()).isLessThanOrEqualTo(40L * 6 * cell);
    }
  }

  /**
   * Hadoop's client reads the rest of the stripe at once, and therefore every internal block once.
   */
  @Test
  void aScanPastDeadDataNodesAsksForEachByteOnce() throws Exception {
    // Some of the sources that are decoded for the seek are read again with the rest of the stripe.
    long jump = 5 * 66_048;
    for (int at = 70_000; at < 3 << 20; at += 300_000) {
      context = context("1h", 10_000);
      MemoryGroup group = new MemoryGroup(6, 3, 1 << 20, (4 << 20) + 200_000, true, 9);
      group.dead[2] = true;
      group.dead[4] = true;
      meetDead(group);
      try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
        window.enter(reader(group));
        for (int from = at; from < group.data.length; from += 65_600) {
          int to = Math.min(group.data.length, from + 65_600);
          assertThat(readThrough(window, from, to))
              .isEqualTo(Arrays.copyOfRange(group.data, from, to));
        }
      }
      await(() -> group.openReaders.get() == 0);
      // Three data units and two parity units; the sixth data unit is zeros.
      boolean isJumpDecoded = group.dead[group.geometry.unitOf(at)];
      assertThat(group.asked.get())
          .as("from %d", at)
          .isLessThanOrEqualTo((5 << 20) + (isJumpDecoded ? jump : 512));
    }
  }

  @Test
  void aSequentialReaderAsksForEachByteOnce() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(6, 3, 4096, 6 * 4096 * 100, true, 9);
    group.portion = 1000;
    try (SequentialWindow window = new SequentialWindow(context, uncounted)) {
      window.enter(reader(group));
      byte[] all = new byte[group.data.length];
      for (int at = 100; at < all.length; at += 700) {
        byte[] part = readThrough(window, at, Math.min(all.length, at + 700));
        System.arraycopy(part, 0, all, at, part.length);
      }
      System.arraycopy(group.data, 0, all, 0, 100);
      assertThat(all).isEqualTo(group.data);
    }
    assertThat(group.asked.get()).isLessThanOrEqualTo(group.data.length + 20 * 512);
  }
}
