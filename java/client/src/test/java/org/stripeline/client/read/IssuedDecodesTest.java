// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stripeline.client.read.MemoryGroup.readThrough;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.client.read.shared.OtherThreads;
import org.stripeline.testkit.Conditions;

/** Tests decodes that are issued to coders beside the CPUs. */
@Timeout(60)
class IssuedDecodesTest extends ReadPipelineCase {
  private static final int CELL = 64 << 10;

  /** The device's thread ends them then. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void decodesEndThoughNoThreadCanBeHad(boolean deviceFails) throws Exception {
    AtomicInteger refused = new AtomicInteger();
    try (OtherThreads threads =
        new OtherThreads(
            16,
            Thread::new,
            task -> {
              refused.incrementAndGet();
              throw new IllegalStateException("no thread");
            })) {
      context = context("0", 5);
      MemoryGroup group = group();
      group.deviceFails = deviceFails;
      assertReads(group);
      assertThat(refused).hasPositiveValue();
    }
  }

  /** An executor may take a task, and then fail for lack of a thread. */
  @Test
  void aDecodeEndsOnceThoughItsEndIsRunTwice() throws Exception {
    List<Runnable> taken = new ArrayList<>();
    try (OtherThreads threads =
        new OtherThreads(
            16,
            Thread::new,
            task -> {
              taken.add(task);
              throw new IllegalStateException("no thread");
            })) {
      context = context("0", 5);
      assertReads(group());
      assertThat(taken).isNotEmpty();
      for (Runnable worker : taken) {
        // It runs the task that it was created for, and waits for others.
        Thread late = new Thread(worker, "late");
        late.setDaemon(true);
        late.start();
        Conditions.await("the task", () -> late.getState() == Thread.State.TIMED_WAITING);
      }
    }
  }

  /** The engine is closed, for example. */
  @Test
  void whatCannotBeIssuedIsDecodedWithoutADevice() throws Exception {
    MemoryGroup group = group();
    group.whenIssuing =
        inputs -> {
          throw new IllegalStateException("closed");
        };
    assertReads(group);
  }

  private static MemoryGroup group() throws Exception {
    MemoryGroup group = new MemoryGroup(3, 2, CELL, 3 * CELL * 4 - 777, true, 9);
    group.dead[1] = true;
    group.decodesAside = true;
    return group;
  }

  private void assertReads(MemoryGroup group) throws Exception {
    FutureTask<byte[]> read = new FutureTask<>(() -> readRange(group, 0, group.data.length));
    Thread stream = new Thread(read, "stream");
    stream.setDaemon(true);
    stream.start();
    assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(group.data);
  }

  /** A device that reads recycled memory would count as wrong. */
  @Test
  void inputsOfADecodeStayWhatTheyAreAfterItsStreamWasClosed() throws Exception {
    context = context("1h", 10_000);
    MemoryGroup group = new MemoryGroup(3, 2, CELL, 3 * CELL * 10, true, 9);
    group.dead[1] = true;
    group.decodesAside = true;
    AtomicReference<ByteBuffer[]> issued = new AtomicReference<>();
    group.whenIssuing = issued::set;
    GroupReader reader = reader(group);
    SequentialWindow window = new SequentialWindow(context, MemoryGroup.UNCOUNTED);
    window.enter(reader);
    readThrough(window, 3 * CELL, 4 * CELL);
    CompletableFuture<ByteBuffer[]> decoding = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    group.whenDecoding =
        () -> {
          decoding.complete(issued.get());
          try {
            over.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        };
    FutureTask<byte[]> read = new FutureTask<>(() -> readAndClose(window));
    new Thread(read, "stream").start();
    ByteBuffer[] inputs = decoding.get();
    byte[][] before = bytes(inputs);
    reader.abort("Stream closed");
    assertThatThrownBy(read::get).isInstanceOf(ExecutionException.class);
    overwriteIdleBuffers();
    byte[][] after = bytes(inputs);
    over.countDown();
    assertThat(after).isDeepEqualTo(before);
  }

  private static byte[] readAndClose(SequentialWindow window) throws Exception {
    window.begin();
    try {
      return readThrough(window, 4 * CELL, 5 * CELL);
    } finally {
      window.end();
      window.close();
    }
  }

  private static byte[][] bytes(ByteBuffer[] buffers) {
    byte[][] all = new byte[buffers.length][];
    for (int i = 0; i < buffers.length; i++) {
      all[i] = new byte[buffers[i] == null ? 0 : buffers[i].remaining()];
      if (buffers[i] != null) {
        buffers[i].duplicate().get(all[i]);
      }
    }
    return all;
  }

  private void overwriteIdleBuffers() {
    List<ByteBuffer> taken = new ArrayList<>();
    byte[] other = new byte[CELL];
    Arrays.fill(other, (byte) 0x5a);
    for (int i = 0; i < 16; i++) {
      ByteBuffer buffer = context.buffers().take(CELL, true);
      buffer.duplicate().put(other);
      taken.add(buffer);
    }
    taken.forEach(context.buffers()::give);
  }
}
