// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.read.shared.IdleWindows;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCount;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/** Tests many streams with few buffers, with block groups in memory. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReadMemoryTest extends ReadMemoryCase {
  /** An exception may come from any step; many steps look up a DataNode. */
  @Test
  void unexpectedExceptionsLeaveNoBufferCounted() throws IOException {
    ReadContext context = context(64 << 20, 0);
    for (int calls = 0; calls < 60; calls++) {
      MemoryGroup group = group(2);
      group.dead[1] = true;
      try (GroupReader reader = reader(context, group)) {
        group.nodeCalls.set(calls);
        new RangeRead(reader, MemoryGroup.UNCOUNTED)
            .read(100, STRIPE + 5, STRIPE + 5, ByteBuffer.allocate(STRIPE));
      } catch (IOException | IllegalStateException expected) {
        // Only the effect on the buffers matters.
      }
      Conditions.await("buffers to be back", () -> buffers.usedBytes() == 0);
    }
  }

  /** The same applies to streams that are unreachable but were not closed. */
  @Test
  void idleStreamsReleaseTheirBuffers() throws IOException {
    ReadContext context = context(64 << 20, 0);
    MemoryGroup group = group(4);
    for (int i = 0; i < 40; i++) {
      read(window(context, group), 0, 1000);
    }
    assertThat(idle.size()).isEqualTo(40);
    assertThat(buffers.usedBytes()).isGreaterThanOrEqualTo(40 * 4 * STRIPE);

    idle.sweep();
    assertThat(idle.size()).as("those that have just been read").isEqualTo(40);
    read(windows.get(7), 1000, 2000);
    idle.sweep();

    assertThat(idle.size()).isEqualTo(1);
    Conditions.await("buffers to be back", () -> buffers.usedBytes() <= 4 * STRIPE);
    for (SequentialWindow window : windows) {
      assertThat(read(window, 2000, 90_000))
          .isEqualTo(Arrays.copyOfRange(group.data, 2000, 90_000));
    }
  }

  @Test
  void aReadEndsThoughNoThreadCanBeStarted() throws Exception {
    ScheduledThreadPoolExecutor none =
        new ScheduledThreadPoolExecutor(
            0,
            task -> {
              throw new OutOfMemoryError("unable to create native thread");
            });
    IdleWindows unswept = new IdleWindows(none, TimeUnit.HOURS.toMillis(1));
    buffers = new ReadBuffers(64 << 20, unswept, 0);
    Configuration conf = new Configuration(false);
    ReadContext context = new ReadContext(conf, new ClientSettings(conf), buffers, Ticker.SYSTEM);
    MemoryGroup group = group(4);
    SequentialWindow window = window(context, group);
    assertThat(read(window, 0, 1000)).isEqualTo(Arrays.copyOf(group.data, 1000));
    FutureTask<Boolean> other = new FutureTask<>(unswept::reclaim);
    new Thread(other).start();
    assertThat(other.get()).isTrue();
    none.shutdownNow();
  }

  @Test
  void activeReadersTakeBuffersOfIdleReaders() throws IOException {
    ReadContext context = context(4 * STRIPE, 0);
    MemoryGroup group = group(4);
    byte[] all = new byte[group.data.length];
    for (int i = 0; i < 64; i++) {
      window(context, group);
    }
    // Simulates one thread that merges many streams.
    for (int at = 0; at < all.length; at += 10_000) {
      int to = Math.min(all.length, at + 10_000);
      for (SequentialWindow window : windows) {
        byte[] part = read(window, at, to);
        System.arraycopy(part, 0, all, at, part.length);
        assertThat(buffers.usedBytes()).isLessThanOrEqualTo(4 * STRIPE);
      }
    }
    assertThat(all).isEqualTo(group.data);
  }

  @Test
  void aLackOfMemoryNeitherMarksDataNodesSuspectNorCountsAsAFailure() throws IOException {
    ReadContext context = context(64 << 20, TimeUnit.HOURS.toMillis(1));
    MemoryGroup group = group(4);
    group.dead[1] = true;
    group.decodesWithoutMemory.set(2);
    long failures = ReadContext.counters().get(ReadCount.FAILURES);
    assertThat(readAt(context, group, 0, group.data.length)).isEqualTo(group.data);
    group.decodesWithoutMemory.set(2);
    SequentialWindow window = window(context, group);
    assertThat(read(window, 0, group.data.length)).isEqualTo(group.data);
    assertThat(group.decodesWithoutMemory.get()).isZero();
    assertThat(ReadContext.counters().get(ReadCount.FAILURES)).isEqualTo(failures);
    assertThat(group.opensOfUnit.get(7) + group.opensOfUnit.get(8)).isZero();
  }

  @Test
  void aReadThatGetsNoMemoryNamesTheReason() throws IOException {
    ReadContext context = context(64 << 20, 1);
    MemoryGroup group = group(4);
    group.dead[1] = true;
    group.decodesWithoutMemory.set(Integer.MAX_VALUE);
    long failures = ReadContext.counters().get(ReadCount.FAILURES);
    assertThatThrownBy(() -> readAt(context, group, 0, group.data.length))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/memory, block group 1")
        .hasMessageContaining("-XX:MaxDirectMemorySize");
    assertThat(ReadContext.counters().get(ReadCount.FAILURES)).isEqualTo(failures + 1);
    SequentialWindow window = window(context, group);
    assertThatThrownBy(() -> read(window, 0, 100))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("-XX:MaxDirectMemorySize");
    group.decodesWithoutMemory.set(0);
    assertThat(read(window, 0, 100)).isEqualTo(Arrays.copyOf(group.data, 100));
  }

  /** For each allocation, fails it and the following four. */
  @Test
  void aRefusedAllocationCausesNoWrongBytes() throws IOException {
    for (int lost = 0; lost < 3; lost++) {
      int allocations = Integer.MAX_VALUE;
      for (int first = 0; first <= allocations; first++) {
        int from = first;
        AtomicInteger count = new AtomicInteger();
        ReadContext context =
            context(
                new ReadBuffers(
                    64 << 20,
                    idle,
                    TimeUnit.HOURS.toMillis(1),
                    (size, isDirect) -> {
                      int number = count.getAndIncrement();
                      if (number >= from && number < from + 5) {
                        throw new OutOfMemoryError("Direct buffer memory");
                      }
                      return ByteBuffer.allocateDirect(size);
                    }));
        MemoryGroup group = group(3);
        Arrays.fill(group.dead, 2, 2 + lost, true);
        int end = group.data.length;
        SequentialWindow window = window(context, group);
        assertThat(read(window, 0, 20_000)).isEqualTo(Arrays.copyOf(group.data, 20_000));
        assertThat(read(window, 40_000, end))
            .isEqualTo(Arrays.copyOfRange(group.data, 40_000, end));
        assertThat(readAt(context, group, 100, end))
            .isEqualTo(Arrays.copyOfRange(group.data, 100, end));
        window.close();
        Conditions.await("buffers to be back", () -> buffers.usedBytes() == 0);
        allocations = count.get();
      }
    }
  }

  /** Kept buffers of one size are dropped for buffers of another size. */
  @Test
  void keptBuffersAreCounted() {
    context(4 << 20, 0);
    List<ByteBuffer> small = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      small.add(buffers.take(64 << 10, false));
    }
    small.forEach(buffers::give);
    assertThat(buffers.idleBytes()).isEqualTo(90 * (64 << 10));
    ByteBuffer large = buffers.take(2 << 20, false);
    assertThat(buffers.idleBytes() + buffers.usedBytes()).isLessThanOrEqualTo(6 << 20);
    buffers.give(large);
  }
}
