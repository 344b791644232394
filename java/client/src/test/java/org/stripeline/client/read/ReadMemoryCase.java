// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.client.read.shared.IdleWindows;
import org.stripeline.client.read.shared.ReadBuffers;
import org.stripeline.client.read.shared.ReadContext;
import org.stripeline.client.read.shared.ReadCounters;
import org.stripeline.natives.Ticker;
import org.stripeline.testkit.Conditions;

/** What tests of many streams with few buffers share; block groups are in memory. */
abstract class ReadMemoryCase {
  static final int CELL = 16 << 10;
  static final int STRIPE = 6 * CELL;

  /** Runs no sweep by itself. */
  private final ScheduledThreadPoolExecutor never = new ScheduledThreadPoolExecutor(1);

  final IdleWindows idle = new IdleWindows(never, TimeUnit.HOURS.toMillis(1));
  final List<SequentialWindow> windows = new ArrayList<>();
  ReadBuffers buffers;

  @AfterEach
  void allBuffersAreBack() {
    windows.forEach(SequentialWindow::close);
    never.shutdownNow();
    Conditions.await("buffers to be back", () -> buffers.usedBytes() == 0);
    assertThat(idle.size()).isZero();
  }

  ReadContext context(long limit, long timeoutMillis) {
    return context(new ReadBuffers(limit, idle, timeoutMillis));
  }

  ReadContext context(ReadBuffers pool) {
    buffers = pool;
    Configuration conf = new Configuration(false);
    // Without hedging, because late reads on a busy machine would need more buffers.
    conf.set(ClientKeys.HEDGE_ENABLED, "false");
    conf.set(ClientKeys.READ_WINDOW, "1m");
    return new ReadContext(conf, new ClientSettings(conf), buffers, Ticker.SYSTEM);
  }

  static GroupReader reader(ReadContext context, MemoryGroup group) {
    return new GroupReader(
        context,
        new GroupKnowledge(group, 6, 3, CELL, group.data.length, false, Ticker.SYSTEM),
        new ReadCounters(ReadContext.counters()));
  }

  SequentialWindow window(ReadContext context, MemoryGroup group) {
    SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
    window.enter(reader(context, group));
    windows.add(window);
    return window;
  }

  /** Reads in the way of a stream. */
  static byte[] read(SequentialWindow window, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    window.begin();
    try {
      for (int at = from; at < to; ) {
        ByteBuffer part = window.at(at, to - at).bytesAt(at);
        part.limit(Math.min(part.limit(), part.position() + to - at));
        at += part.remaining();
        target.put(part);
      }
    } finally {
      window.end();
    }
    return target.array();
  }

  static MemoryGroup group(int stripes) throws IOException {
    return new MemoryGroup(6, 3, CELL, stripes * STRIPE - 777, true, stripes);
  }

  byte[] readAt(ReadContext context, MemoryGroup group, int from, int to) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(to - from);
    try (GroupReader reader = reader(context, group)) {
      new RangeRead(reader, MemoryGroup.UNCOUNTED).read(from, to, to, target);
    }
    return target.array();
  }

  static boolean isWaiting(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING;
  }
}
