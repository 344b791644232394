// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.VirtualTicker;
import org.stripeline.client.read.GroupKnowledge.Standing;
import org.stripeline.client.read.shared.NodeHealth;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.client.read.shared.ReadCounters;

/** Tests hedging, and how long suspicions and faults last, in virtual time. */
@Timeout(60)
class ReadTimesTest {
  private static final int CELL = 4096;
  private static final int STRIPE = 6 * CELL;
  private static final int HEDGE_MIN_MILLIS = 50;
  private static final int HEDGE_MAX_MILLIS = 200;
  private static final int PERIOD_SECONDS = 30;

  private final VirtualTicker ticker = new VirtualTicker();
  private final ReadCounters counters = new ReadCounters(null);
  private final ReadContext context = context();
  private final MemoryGroup group = group();
  private final GroupReader reader =
      new GroupReader(
          context,
          new GroupKnowledge(group, 6, 3, CELL, group.data.length, false, ticker),
          counters);

  private final Tally uncounted =
      new Tally() {
        @Override
        public void fetched(int bytes, boolean shortCircuit, int distance, long millis) {}

        @Override
        public void decoded(long millis) {}
      };

  private ReadContext context() {
    Configuration conf = new Configuration(false);
    conf.set(ClientKeys.HEDGE_MIN, HEDGE_MIN_MILLIS + "ms");
    conf.set(ClientKeys.HEDGE_MAX, HEDGE_MAX_MILLIS + "ms");
    conf.set(ClientKeys.SUSPECT_PERIOD, PERIOD_SECONDS + "s");
    return new ReadContext(conf, new ClientSettings(conf), null, ticker);
  }

  private static MemoryGroup group() {
    try {
      return new MemoryGroup(6, 3, CELL, 4 * STRIPE, true, 5);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void allReadersAreClosed() {
    group.released.countDown();
    reader.close();
    await(() -> group.openReaders.get() == 0);
  }

  /** Waits, in real time, for threads that need no time to pass. */
  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("in time").isLessThan(SECONDS.toNanos(30));
      Thread.onSpinWait();
    }
  }

  private byte[] read(int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    new RangeRead(reader, uncounted).read(from, to, to, target);
    assertThat(target.array()).isEqualTo(Arrays.copyOfRange(group.data, from, to));
    return target.array();
  }

  private FutureTask<byte[]> start(int from, int to) {
    FutureTask<byte[]> read = new FutureTask<>(() -> read(from, to));
    Thread thread = new Thread(read, "stream");
    thread.setDaemon(true);
    thread.start();
    return read;
  }

  private void awaitFetched(int units) {
    await(() -> counters.get(ReadCount.BYTES_FETCHED) == (long) units * CELL);
  }

  /** Checks that a read is hedged when the time that it has left is over, and not before. */
  private void assertHedgedAfter(long millis, FutureTask<byte[]> read) throws Exception {
    ticker.awaitWait(millis, MILLISECONDS);
    ticker.advance(MILLISECONDS.toNanos(millis) - 1, NANOSECONDS);
    ticker.awaitWait(1, NANOSECONDS);
    assertThat(counters.get(ReadCount.HEDGES)).isZero();
    assertThat(group.opensOfUnit.get(6)).isZero();
    ticker.advance(1, NANOSECONDS);
    read.get();
    assertThat(counters.get(ReadCount.HEDGES)).isEqualTo(1);
    assertThat(counters.get(ReadCount.HEDGES_WON)).isEqualTo(1);
    assertThat(group.opensOfUnit.get(6)).isEqualTo(1);
  }

  @Test
  void aReadIsHedgedOnceItIsLate() throws Exception {
    group.hung[2] = true;
    FutureTask<byte[]> read = start(0, STRIPE);
    // The time of a read counts from its own start.
    await(() -> group.opens.get() == 6);
    awaitFetched(5);
    assertHedgedAfter(HEDGE_MAX_MILLIS, read);
  }

  /** Once half of the spans have arrived, the others have three times the slowest one's time. */
  @Test
  void aReadIsHedgedByTheTimeOfOthers() throws Exception {
    CountDownLatch others = new CountDownLatch(1);
    group.hung[2] = true;
    group.whenReading =
        unit -> {
          if (unit < 6 && unit != 2) {
            others.await();
          }
        };
    FutureTask<byte[]> read = start(0, STRIPE);
    await(() -> group.opens.get() == 6);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(100, MILLISECONDS);
    others.countDown();
    awaitFetched(5);
    assertHedgedAfter(3 * 100 - 100, read);
  }

  /** Without a unit that could be read instead, a read waits as long as its sockets may. */
  @Test
  void aReadWithoutAnySignOfLifeEnds() throws Exception {
    Arrays.fill(group.hung, true);
    FutureTask<byte[]> read = start(0, STRIPE);
    await(() -> group.opens.get() == 6);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(HEDGE_MAX_MILLIS, MILLISECONDS);
    for (int minute = 0; minute < 15; minute++) {
      ticker.awaitWait(1, MINUTES);
      ticker.advance(1, MINUTES);
    }
    assertThatThrownBy(read::get)
        .hasRootCauseMessage(
            "Cannot read bytes 0 to "
                + (STRIPE - 1)
                + " of /memory, block group 1: no request has completed or failed for 15 min");
  }

  /** A read that is only slow makes reads behind it fail, which does not show that these would. */
  @Test
  void aUnitBehindASlowReadIsReadAgainWhenAnotherUnitHangs() throws Exception {
    group.absent[7] = true;
    group.absent[8] = true;
    CountDownLatch slow = new CountDownLatch(1);
    AtomicIntegerArray reads = new AtomicIntegerArray(9);
    group.whenReading =
        unit -> {
          int number = reads.incrementAndGet(unit);
          if (unit == 1 && number == 1) {
            slow.await();
          } else if (unit == 2 && number == 2) {
            group.released.await();
          }
        };
    int all = 2 * STRIPE;
    List<Segment> none = Collections.emptyList();
    Segment first = reader.fetchAhead(0, STRIPE, all, null, none);
    Segment second = reader.fetchAhead(STRIPE, all, all, null, none);
    FutureTask<Void> read =
        new FutureTask<>(
            () -> {
              first.await();
              second.await();
              return null;
            });
    new Thread(read, "stream").start();
    await(() -> reads.get(1) == 1 && reads.get(2) == 2);
    awaitFetched(5 + 4);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(HEDGE_MAX_MILLIS, MILLISECONDS);
    read.get(30, SECONDS);
    assertThat(reads.get(1)).isEqualTo(2);
    for (int at = STRIPE; at < all; ) {
      ByteBuffer bytes = second.bytesAt(at);
      byte[] part = new byte[Math.min(bytes.remaining(), all - at)];
      bytes.get(part);
      assertThat(part).isEqualTo(Arrays.copyOfRange(group.data, at, at + part.length));
      at += part.length;
    }
    slow.countDown();
    first.close();
    second.close();
  }

  private void passPeriod(BooleanSupplier holdsUntilItIsOver) {
    ticker.advance(SECONDS.toNanos(PERIOD_SECONDS) - 1, NANOSECONDS);
    assertThat(holdsUntilItIsOver.getAsBoolean()).isTrue();
    ticker.advance(1, NANOSECONDS);
    assertThat(holdsUntilItIsOver.getAsBoolean()).isFalse();
  }

  @Test
  void oneReadDecidesWhetherADataNodeIsTrustedAgain() throws Exception {
    NodeHealth health = context.health();
    group.hung[2] = true;
    FutureTask<byte[]> read = start(0, STRIPE);
    // The time of a read counts from its own start.
    await(() -> group.opens.get() == 6);
    awaitFetched(5);
    assertHedgedAfter(HEDGE_MAX_MILLIS, read);
    passPeriod(() -> health.isSuspect("node2"));
    assertThat(health.admits("node2")).isTrue();
    assertThat(health.admits("node2")).isFalse();
    group.hung[2] = false;
    group.released.countDown();
    await(() -> !health.isSuspect("node2"));
    int before = group.opensOfUnit.get(2);
    read(STRIPE, 2 * STRIPE);
    assertThat(group.opensOfUnit.get(2)).isEqualTo(before + 1);
    assertThat(health.admits("node2")).isTrue();
    assertThat(health.admits("node2")).isTrue();
  }

  @Test
  void aFailedUnitIsReadAgain() throws Exception {
    group.cut[1] = 5;
    read(CELL, 2 * CELL);
    int before = group.opensOfUnit.get(1);
    group.cut[1] = Long.MAX_VALUE;
    read(CELL, 2 * CELL);
    assertThat(group.opensOfUnit.get(1)).isEqualTo(before);
    passPeriod(() -> reader.standing(1) == Standing.FAULTY);
    assertThat(reader.standing(1)).isEqualTo(Standing.GOOD);
    read(CELL, 2 * CELL);
    assertThat(group.opensOfUnit.get(1)).isEqualTo(before + 1);
  }

  /**
   * The same happens after the NameNode has dropped the blocks of a DataNode that was down for
   * long.
   */
  @Test
  void aMissingUnitIsReadWhenItReturns() throws Exception {
    group.absent[1] = true;
    group.found = () -> group.absent[1] = false;
    ticker.advance(SECONDS.toNanos(PERIOD_SECONDS) - 1, NANOSECONDS);
    read(CELL, 2 * CELL);
    ticker.advance(1, NANOSECONDS);
    assertThat(group.refreshes.get()).isZero();
    read(CELL, 2 * CELL);
    await(() -> reader.standing(1) == Standing.GOOD);
    assertThat(group.refreshes.get()).isEqualTo(1);
    read(CELL, 2 * CELL);
    assertThat(group.opensOfUnit.get(1)).isPositive();
  }

  /**
   * Other streams may have made a DataNode suspect; then this stream sees no failure of its own.
   */
  @Test
  void aUnitThatLeftASuspectDataNodeIsFound() throws Exception {
    context.health().markSuspect("node1", "test");
    group.dead[1] = true;
    group.found =
        () -> {
          group.dead[1] = false;
          group.place = ":2";
        };
    read(CELL, 2 * CELL);
    ticker.advance(PERIOD_SECONDS, SECONDS);
    context.health().markSuspect("node1", "test");
    assertThat(reader.standing(1)).isEqualTo(Standing.SUSPECT);
    read(CELL, 2 * CELL);
    await(() -> reader.standing(1) == Standing.GOOD);
    read(CELL, 2 * CELL);
    assertThat(group.opensOfUnit.get(1)).isPositive();
  }

  /**
   * More groups than threads look up the units that they lack at a NameNode that does not answer.
   */
  @Test
  void aMissingUnitIsFoundWhileAnotherNameNodeHangs() throws Exception {
    int groups = ClientKeys.READ_THREADS_DEFAULT;
    CountDownLatch answer = new CountDownLatch(1);
    group.absent[1] = true;
    group.found = () -> group.absent[1] = false;
    ticker.advance(PERIOD_SECONDS, SECONDS);
    MemoryGroup[] others = new MemoryGroup[groups];
    try {
      for (int i = 0; i < groups; i++) {
        others[i] = group();
        others[i].nameNode = "hung";
        others[i].absent[1] = true;
        others[i].found = () -> awaitQuietly(answer);
        GroupKnowledge known =
            new GroupKnowledge(others[i], 6, 3, CELL, group.data.length, false, ticker);
        ticker.advance(PERIOD_SECONDS, SECONDS);
        known.look(context);
        // Not once more while it is not answered.
        ticker.advance(PERIOD_SECONDS, SECONDS);
        known.look(context);
      }
      read(CELL, 2 * CELL);
      await(() -> reader.standing(1) == Standing.GOOD);
    } finally {
      answer.countDown();
    }
    await(() -> Arrays.stream(others).allMatch(other -> other.refreshes.get() == 1));
  }

  /** One unit hangs, one is slow, and no other is left until the slow one has arrived. */
  @Test
  void aHungUnitIsNotWaitedForOnceASlowOneArrives() throws Exception {
    group.absent[7] = true;
    group.absent[8] = true;
    CountDownLatch slow = new CountDownLatch(1);
    group.whenReading =
        unit -> {
          if (unit == 1) {
            group.released.await();
          } else if (unit == 2) {
            slow.await();
          }
        };
    FutureTask<byte[]> read = start(0, STRIPE);
    awaitFetched(4);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(HEDGE_MAX_MILLIS, MILLISECONDS);
    awaitFetched(5);
    ticker.advance(10, SECONDS);
    slow.countDown();
    read.get(30, SECONDS);
    assertThat(counters.get(ReadCount.HEDGES_WON)).isEqualTo(1);
  }

  /** The unit that is read instead hangs, too, until the stream is closed. */
  @Test
  void aReadThatEndsBeforeItsUnitsArriveWinsNoHedge() throws Exception {
    group.hung[2] = true;
    group.hung[6] = true;
    group.absent[7] = true;
    group.absent[8] = true;
    FutureTask<byte[]> read = start(0, STRIPE);
    awaitFetched(5);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(HEDGE_MAX_MILLIS, MILLISECONDS);
    await(() -> group.opensOfUnit.get(6) == 1);
    reader.abort("Stream closed");
    assertThatThrownBy(() -> read.get(30, SECONDS)).hasRootCauseMessage("Stream closed");
    assertThat(counters.get(ReadCount.HEDGES)).isEqualTo(1);
    assertThat(counters.get(ReadCount.HEDGES_WON)).isZero();
  }

  /** By the time that the slow one took, the hung one may take three times as long. */
  @Test
  void aReadThatIsGivenUpAtOnceIsNotHeldAgainstItsDataNode() throws Exception {
    group.absent[7] = true;
    group.absent[8] = true;
    CountDownLatch slow = new CountDownLatch(1);
    group.whenReading =
        unit -> {
          if (unit == 1) {
            group.released.await();
          } else if (unit == 2) {
            slow.await();
          }
        };
    FutureTask<byte[]> read = start(0, STRIPE);
    await(() -> group.opens.get() == 6);
    awaitFetched(4);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(HEDGE_MAX_MILLIS, MILLISECONDS);
    awaitFetched(5);
    ticker.advance(10, SECONDS);
    slow.countDown();
    read.get(30, SECONDS);
    assertThat(counters.get(ReadCount.HEDGES_WON)).isEqualTo(1);
    assertThat(context.health().isSuspect("node1")).isFalse();
  }

  /** Units 2 and 3 are late; once 3 arrives, 2 is decoded while 7 is not there. */
  @Test
  void noReadIsHedgedDuringADecodeOnADevice() throws Exception {
    group.absent[8] = true;
    group.decodesAside = true;
    CountDownLatch third = new CountDownLatch(1);
    CountDownLatch decoding = new CountDownLatch(1);
    CountDownLatch decoded = new CountDownLatch(1);
    AtomicIntegerArray reads = new AtomicIntegerArray(9);
    group.whenReading =
        unit -> {
          reads.incrementAndGet(unit);
          if (unit == 3) {
            third.await();
          } else if (unit == 2 || unit == 7) {
            group.released.await();
          }
        };
    group.whenDecoding =
        () -> {
          decoding.countDown();
          awaitQuietly(decoded);
        };
    FutureTask<byte[]> read = start(0, STRIPE);
    await(() -> group.opens.get() == 6);
    awaitFetched(4);
    ticker.awaitWait(HEDGE_MAX_MILLIS, MILLISECONDS);
    ticker.advance(HEDGE_MAX_MILLIS, MILLISECONDS);
    awaitFetched(5);
    await(() -> reads.get(7) == 1);
    third.countDown();
    decoding.await();
    ticker.advance(1, MINUTES);
    ticker.awaitWait(1, MINUTES);
    assertThat(counters.get(ReadCount.HEDGES)).isEqualTo(2);
    decoded.countDown();
    read.get(30, SECONDS);
    assertThat(counters.get(ReadCount.HEDGES)).isEqualTo(2);
    assertThat(context.health().isSuspect("node7")).isFalse();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
