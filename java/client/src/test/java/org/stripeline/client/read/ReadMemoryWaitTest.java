// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.testkit.Conditions;

/** Tests how streams wait for memory, with block groups in memory. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReadMemoryWaitTest extends ReadMemoryCase {
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void readersWaitForEachOther(int lost) throws Exception {
    // A reader that waits in vain would exceed the time limit of the test.
    long limit = 1 << 20;
    ReadContext context = context(limit, TimeUnit.HOURS.toMillis(1));
    MemoryGroup group = group(20);
    Arrays.fill(group.dead, 0, lost, true);
    AtomicLong most = new AtomicLong();
    List<FutureTask<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      SequentialWindow window = window(context, group);
      boolean isPositional = lost > 0 && i % 2 == 0;
      reads.add(
          new FutureTask<>(
              () -> {
                byte[] all = new byte[group.data.length];
                for (int at = 0; at < all.length; at += 50_000) {
                  int to = Math.min(all.length, at + 50_000);
                  byte[] part =
                      isPositional ? readAt(context, group, at, to) : read(window, at, to);
                  most.accumulateAndGet(buffers.usedBytes(), Math::max);
                  System.arraycopy(part, 0, all, at, part.length);
                }
                return all;
              }));
    }
    for (FutureTask<byte[]> read : reads) {
      new Thread(read, "stream").start();
    }
    for (FutureTask<byte[]> read : reads) {
      assertThat(read.get()).isEqualTo(group.data);
    }
    if (lost == 0) {
      assertThat(most.get()).isLessThanOrEqualTo(limit);
    }
  }

  /** No memory is returned, so the reader exceeds the limit instead of failing. */
  @Test
  void waitingIsBounded() throws IOException {
    ReadContext context = context(2 * STRIPE, 1);
    ByteBuffer taken = buffers.take(2 * STRIPE, false);
    MemoryGroup group = group(3);
    assertThat(read(window(context, group), 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.opens.get()).isPositive();
    buffers.give(taken);
  }

  /** Like {@code close} of a stream that another thread is reading. */
  @Test
  void anAbortEndsTheWaitForMemory() throws Exception {
    ReadContext context = context(2 * STRIPE, TimeUnit.HOURS.toMillis(1));
    MemoryGroup group = group(3);
    long taken = 2 * STRIPE;
    assertThat(buffers.tryReserve(taken)).isTrue();
    GroupReader entered = reader(context, group);
    SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
    window.enter(entered);
    windows.add(window);
    GroupReader positional = reader(context, group);
    List<FutureTask<?>> reads =
        Arrays.asList(
            new FutureTask<>(() -> read(window, 100, 5_000)),
            new FutureTask<>(
                () -> {
                  new RangeRead(positional, MemoryGroup.UNCOUNTED)
                      .read(100, 5_000, 5_000, ByteBuffer.allocate(4_900));
                  return null;
                }));
    List<Thread> threads = new ArrayList<>();
    try {
      for (FutureTask<?> read : reads) {
        Thread thread = new Thread(read, "stream");
        threads.add(thread);
        thread.start();
        Conditions.await("the thread to wait", () -> isWaiting(thread));
      }
      // The second first, because it is not at the head of the queue.
      positional.abort("Stream closed");
      assertFailsAsClosed(reads.get(1));
      entered.abort("Stream closed");
      assertFailsAsClosed(reads.get(0));
    } finally {
      threads.forEach(Thread::interrupt);
    }
    buffers.unreserve(taken);
    assertThat(buffers.tryReserve(taken)).as("nothing is left of those that waited").isTrue();
    buffers.unreserve(taken);
    positional.close();
  }

  @Test
  void anAbortEndsTheWaitForMemoryThatTheJvmRefused() throws Exception {
    ReadContext context =
        context(
            new ReadBuffers(
                64 << 20,
                idle,
                TimeUnit.HOURS.toMillis(1),
                (size, isDirect) -> {
                  throw new OutOfMemoryError("Direct buffer memory");
                }));
    GroupReader reader = reader(context, group(3));
    FutureTask<Void> read =
        new FutureTask<>(
            () -> {
              new RangeRead(reader, MemoryGroup.UNCOUNTED)
                  .read(100, 5_000, 5_000, ByteBuffer.allocate(4_900));
              return null;
            });
    Thread thread = new Thread(read, "stream");
    thread.start();
    try {
      Conditions.await("the thread to wait", () -> isWaiting(thread));
      reader.abort("Stream closed");
      assertFailsAsClosed(read);
    } finally {
      thread.interrupt();
    }
    reader.close();
  }

  /**
   * Checks that a read fails. A read that kept waiting would end only when its window is closed,
   * and so would the test.
   */
  private static void assertFailsAsClosed(FutureTask<?> read) {
    Conditions.await("the read to end", read::isDone);
    assertThatThrownBy(read::get).hasRootCauseMessage("Stream closed");
  }

  /** A caller may be served after its deadline, before it has left the queue. */
  @Test
  void memoryReservedAtTheEndOfAWaitIsCountedOnce() throws Exception {
    int bytes = 4_096;
    context(bytes, 0);
    List<Future<?>> callers = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int i = 0; i < 4; i++) {
        callers.add(
            threads.submit(
                () -> {
                  for (int round = 0; round < 50_000; round++) {
                    if (buffers.reserve(bytes, buffers.newWaiter())) {
                      buffers.unreserve(bytes);
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> caller : callers) {
        caller.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(buffers.usedBytes()).isZero();
  }

  /**
   * If hundreds of waiters all checked whenever memory is returned, most of the checks would be in
   * vain.
   */
  @Test
  void waitersAreWokenInOrder() throws Exception {
    int readers = 200;
    int bytes = 4_096;
    context(readers * bytes, TimeUnit.HOURS.toMillis(1));
    assertThat(buffers.tryReserve(readers * bytes)).isTrue();
    List<Integer> served = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < readers; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  buffers.reserve(bytes, buffers.newWaiter());
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
                served.add(number);
              });
      threads.add(thread);
      thread.start();
      Conditions.await("the thread to wait", () -> isWaiting(thread));
    }
    // Only the first waiter checks periodically, even if no memory is returned for long.
    Conditions.await("periodic checks", () -> waits(threads.get(0)) >= 20);
    long behind = 0;
    for (int i = 0; i < readers; i++) {
      if (i + 1 < readers) {
        behind += waits(threads.get(i + 1));
      }
      assertThat(buffers.tryReserve(1)).as("past those that wait").isFalse();
      buffers.unreserve(bytes);
      int wanted = i + 1;
      Conditions.await("the next to be served", () -> served.size() == wanted);
      assertThat(served.get(i)).isEqualTo(i);
    }
    // Each waits once until it is the first; spurious wakeups are possible but rare.
    assertThat(behind).as("waits of those behind the first").isLessThan(2 * readers);
    buffers.unreserve(readers * bytes);
  }

  /** Returns how often a live thread has begun to wait. */
  private static long waits(Thread thread) {
    return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getWaitedCount();
  }

  /**
   * As in readVectored, one thread waits for the first range while it holds others. The first
   * ranges are begun when there is no memory, and the others take the memory that is returned then.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void readersOfSeveralRangesWaitForEachOther(int lost) throws Exception {
    long limit = 1 << 20;
    ReadContext context = context(limit, TimeUnit.HOURS.toMillis(1));
    List<SeveralRanges> all = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      MemoryGroup group = group(20);
      // Each range finds out only after it was begun that it must decode.
      Arrays.fill(group.cut, i % 4, i % 4 + lost, 0);
      all.add(new SeveralRanges(context, group));
    }
    assertThat(buffers.tryReserve(limit)).isTrue();
    for (SeveralRanges each : all) {
      each.beginNext();
    }
    assertThat(buffers.usedBytes()).as("with what the first ranges have").isEqualTo(limit);
    buffers.unreserve(limit);
    while (all.get(0).hasNext()) {
      for (SeveralRanges each : all) {
        each.beginNext();
      }
    }
    // The memory of decoding varies; without decoding, the memory of the ranges is constant.
    long rest = lost > 0 ? 0 : limit - buffers.usedBytes();
    assertThat(buffers.tryReserve(rest)).as("all that is left").isTrue();
    assertThat(rest).as("what the ranges do not have").isLessThan(limit / 2);
    List<FutureTask<Void>> reads = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (SeveralRanges ranges : all) {
      reads.add(new FutureTask<>(ranges::finish));
      threads.add(new Thread(reads.get(reads.size() - 1), "stream"));
    }
    threads.forEach(Thread::start);
    try {
      for (FutureTask<Void> read : reads) {
        read.get(1, TimeUnit.MINUTES);
      }
    } finally {
      threads.forEach(Thread::interrupt);
      buffers.unreserve(rest);
    }
  }

  /** The first range was begun when there was no memory; the second then got the memory. */
  @Test
  void aWaitingRangeTakesTheMemoryOfLaterRanges() throws IOException {
    long limit = 160 << 10;
    ReadContext context = context(limit, TimeUnit.HOURS.toMillis(1));
    MemoryGroup group = group(3);
    group.dead[2] = true;
    readAt(context, group, 2 * CELL, 2 * CELL + 1);
    assertThat(buffers.tryReserve(limit)).isTrue();
    List<RangeRead> ranges = new ArrayList<>();
    List<ByteBuffer> targets = new ArrayList<>();
    try (GroupReader reader = reader(context, group)) {
      reader.beforeWaiting(() -> ranges.forEach(RangeRead::giveUp));
      for (int from = 0; from < 2 * STRIPE; from += STRIPE) {
        ranges.add(new RangeRead(reader, MemoryGroup.UNCOUNTED));
        targets.add(ByteBuffer.allocate(STRIPE));
        RangeRead range = ranges.get(ranges.size() - 1);
        range.begin(from, from + STRIPE, from + STRIPE, targets.get(targets.size() - 1));
        if (from == 0) {
          assertThat(buffers.usedBytes()).isEqualTo(limit);
          buffers.unreserve(limit);
        }
      }
      assertThat(buffers.usedBytes()).as("what the second has").isPositive();
      for (int i = 0; i < ranges.size(); i++) {
        ranges.get(i).finish();
        assertThat(targets.get(i).array())
            .isEqualTo(Arrays.copyOfRange(group.data, i * STRIPE, (i + 1) * STRIPE));
      }
      ranges.forEach(RangeRead::close);
    }
  }

  /** Several ranges of one block group, each with its own reader. */
  private final class SeveralRanges {
    private static final int LENGTH = 100_000;

    private final ReadContext context;
    private final MemoryGroup group;
    private final List<GroupReader> readers = new ArrayList<>();
    private final List<RangeRead> ranges = new ArrayList<>();
    private final List<ByteBuffer> targets = new ArrayList<>();

    SeveralRanges(ReadContext context, MemoryGroup group) {
      this.context = context;
      this.group = group;
    }

    private int start(int range) {
      return 77 + range * LENGTH;
    }

    boolean hasNext() {
      return start(ranges.size()) + LENGTH < group.data.length;
    }

    void beginNext() throws IOException {
      int at = start(ranges.size());
      GroupReader reader = reader(context, group);
      RangeRead range = new RangeRead(reader, MemoryGroup.UNCOUNTED);
      ByteBuffer target = ByteBuffer.allocate(LENGTH);
      readers.add(reader);
      ranges.add(range);
      targets.add(target);
      reader.beforeWaiting(() -> ranges.forEach(RangeRead::giveUp));
      range.begin(at, at + LENGTH, at + LENGTH, target);
    }

    Void finish() throws IOException {
      for (int i = 0; i < ranges.size(); i++) {
        ranges.get(i).finish();
        ranges.get(i).close();
        readers.get(i).close();
        assertThat(targets.get(i).array())
            .isEqualTo(Arrays.copyOfRange(group.data, start(i), start(i) + LENGTH));
      }
      return null;
    }
  }
}
