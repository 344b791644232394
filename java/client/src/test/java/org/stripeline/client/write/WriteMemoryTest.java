// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.WriteMode;

/** Tests many writers with little memory, with a simulated clock. */
@Timeout(120)
class WriteMemoryTest {
  private static final StripeLayout LAYOUT = new StripeLayout(6, 3, 1024, 512, 4, true);
  private static final long BYTES = LAYOUT.bytes();
  private static final int CELL = LAYOUT.cellSize();
  private static final int STRIPES = 7;

  private final AtomicLong nanos = new AtomicLong();
  private final CellPool pool = new CellPool(Long.MAX_VALUE, 10 * BYTES, nanos::get);
  private final WriteResources resources = new WriteResources(EncoderThreads.create(2), pool);
  private final List<String> sent = Collections.synchronizedList(new ArrayList<>());
  private final BlockingQueue<Stripe> unacknowledged = new LinkedBlockingQueue<>();
  private final AtomicLong most = new AtomicLong();

  @AfterEach
  void allIsBack() {
    await(() -> pool.taken() == 0 && pool.reservedBytes() == 0);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING", "BLOCKING"})
  void writersWaitForEachOther(WriteMode mode) throws Exception {
    Thread dataNodes = new Thread(this::acknowledge, "acknowledges");
    dataNodes.start();
    List<FutureTask<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      String name = "writer " + i;
      writers.add(new FutureTask<>(() -> write(name, mode), null));
    }
    for (FutureTask<Void> writer : writers) {
      new Thread(writer, "writer").start();
    }
    for (FutureTask<Void> writer : writers) {
      writer.get();
    }
    await(() -> pool.reservedBytes() == 0);
    dataNodes.interrupt();
    dataNodes.join();
    assertThat(sent).hasSize(150 * STRIPES);
    assertThat(most.get()).isLessThanOrEqualTo(10 * BYTES);
    assertThat(pool.keptBytes()).isLessThanOrEqualTo(10 * BYTES);
  }

  private void acknowledge() {
    try {
      while (true) {
        most.accumulateAndGet(pool.reservedBytes(), Math::max);
        unacknowledged.take().release();
      }
    } catch (InterruptedException e) {
      // The test has ended.
    }
  }

  private void write(String name, WriteMode mode) {
    try {
      StripePipeline pipeline = pipeline(name, mode);
      for (int i = 0; i < STRIPES; i++) {
        Stripe stripe = pipeline.acquire(i == 0);
        most.accumulateAndGet(pool.reservedBytes(), Math::max);
        fill(stripe);
        pipeline.submit(stripe);
      }
      pipeline.finish();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void fill(Stripe stripe) throws IOException {
    byte[] bytes = new byte[LAYOUT.stripeSize()];
    while (!stripe.isFull()) {
      stripe.reserve();
      stripe.put(bytes, 0, bytes.length);
    }
  }

  private StripePipeline pipeline(String name, WriteMode mode) {
    Configuration conf = new Configuration(false);
    conf.set(ClientKeys.WRITE_MODE, mode.configurationName());
    StripeSink sink =
        new StripeSink() {
          @Override
          public void openGroup() {}

          @Override
          public void send(Stripe stripe) {
            sent.add(name);
            stripe.retain();
            unacknowledged.add(stripe);
          }
        };
    StripeEncoder encoder = new PaddingEncoder(LAYOUT);
    return new StripePipeline(name, WriteSettings.of(conf), LAYOUT, resources, encoder, sink);
  }

  @Test
  void beyondHalfOfTheBoundAStreamHasOneStripe() throws Exception {
    reserve(5 * BYTES);
    assertThat(pool.tryReserveMore(BYTES)).isFalse();
    pool.unreserve(BYTES);
    assertThat(pool.tryReserveMore(BYTES)).isTrue();
    pool.unreserve(5 * BYTES);
  }

  private void reserve(long bytes) {
    assertThat(pool.tryReserve(0, bytes, bytes)).isTrue();
  }

  /** The clock is stopped, so that none of them continues after a wait. */
  @Test
  void manySmallFilesAreWrittenAtOnce() throws Exception {
    List<StripePipeline> pipelines = new ArrayList<>();
    List<Stripe> stripes = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      StripePipeline pipeline = pipeline("writer " + i, WriteMode.BLOCKING);
      Stripe stripe = pipeline.acquire(true);
      stripe.reserve();
      stripe.put((byte) 1);
      pipelines.add(pipeline);
      stripes.add(stripe);
    }
    assertThat(pool.reservedBytes()).isEqualTo(80 * CELL);
    for (int i = 0; i < 80; i++) {
      pipelines.get(i).submit(stripes.get(i));
      assertThat(pool.reservedBytes()).isLessThanOrEqualTo(10 * BYTES);
      unacknowledged.take().release();
    }
  }

  /** A small stripe takes no more buffers than it has reserved. */
  @Test
  void reservedMemoryEqualsTheMemoryTaken() throws Exception {
    for (int size : new int[] {1, CELL / 2, CELL, CELL + 1, 5 * CELL, 6 * CELL}) {
      StripePipeline pipeline = pipeline("writer", WriteMode.BLOCKING);
      Stripe stripe = pipeline.acquire(true);
      for (int i = 0; i < size; i++) {
        stripe.reserve();
        stripe.put((byte) i);
        assertThat(pool.takenBytes()).isLessThanOrEqualTo(pool.reservedBytes());
      }
      pipeline.submit(stripe);
      assertThat(pool.takenBytes()).as("%d bytes", size).isLessThanOrEqualTo(pool.reservedBytes());
      unacknowledged.take().release();
      await(() -> pool.reservedBytes() == 0);
    }
  }

  @Test
  void aGrowingStripeHasRoomAndIsServedFirst() throws Exception {
    reserve(9 * BYTES);
    assertThat(pool.tryReserve(0, CELL, BYTES)).isTrue();
    assertThat(pool.tryReserve(0, CELL, BYTES)).as("one more").isFalse();
    pool.startedSending();
    FutureTask<Boolean> beginning = start(() -> pool.reserve(0, CELL, BYTES, () -> false));
    assertThat(pool.tryReserve(CELL, BYTES - CELL, BYTES - CELL)).isTrue();
    FutureTask<Boolean> growing = start(() -> pool.reserve(BYTES, BYTES, BYTES, () -> false));
    pool.unreserve(BYTES);
    assertThat(growing.get()).isTrue();
    assertThat(beginning.isDone()).isFalse();
    pool.unreserve(BYTES);
    assertThat(beginning.get()).isTrue();
    pool.endedSending();
    pool.unreserve(9 * BYTES + CELL);
  }

  private static <T> FutureTask<T> start(Callable<T> what) {
    FutureTask<T> task = new FutureTask<>(what);
    Thread thread = new Thread(task, "waits");
    thread.start();
    await(() -> thread.getState() == Thread.State.TIMED_WAITING);
    return task;
  }

  @Test
  void aStripeInterruptedWhileItGrowsContinues() throws Exception {
    StripePipeline pipeline = pipeline("writer", WriteMode.BLOCKING);
    Stripe stripe = pipeline.acquire(true);
    byte[] bytes = new byte[CELL + 1];
    assertThat(stripe.put(bytes, 0, bytes.length)).isEqualTo(CELL);
    reserve(9 * BYTES + 1);
    pool.startedSending();
    Thread.currentThread().interrupt();
    assertThatThrownBy(stripe::reserve).isInstanceOf(InterruptedIOException.class);
    FutureTask<Stripe> growing =
        start(
            () -> {
              stripe.reserve();
              return stripe;
            });
    pool.unreserve(9 * BYTES + 1);
    fill(growing.get());
    pool.endedSending();
    pipeline.submit(stripe);
    unacknowledged.take().release();
  }

  /** One thread has many files open and fills none of them; it must not block forever. */
  @Test
  void streamsThatAreNotFilledAreNotWaitedFor() throws Exception {
    List<Stripe> stripes = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
      Stripe stripe = pipeline("writer " + i, WriteMode.BLOCKING).acquire(true);
      stripe.put(new byte[CELL], 0, CELL);
      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
      stripe.reserve();
      stripe.put((byte) 1);
      stripes.add(stripe);
    }
    assertThat(pool.reservedBytes()).isEqualTo(40 * BYTES);
    stripes.forEach(Stripe::release);
  }

  @Test
  void stripesInFlightAreWaitedFor() throws Exception {
    reserve(10 * BYTES);
    pool.startedSending();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
    FutureTask<Boolean> waiting = start(() -> pool.reserve(0, BYTES, BYTES, () -> false));
    assertThat(pool.tryReserve(0, 0, 0)).as("past one that waits").isFalse();
    pool.endedSending();
    pool.unreserve(10 * BYTES);
    assertThat(waiting.get()).isTrue();
    pool.unreserve(BYTES);
  }

  @Test
  void aFailureEndsTheWait() throws Exception {
    StripePipeline small = pipeline("small", WriteMode.BLOCKING);
    Stripe stripe = small.acquire(true);
    stripe.put(new byte[CELL], 0, CELL);
    reserve(9 * BYTES + 1);
    pool.startedSending();
    StripePipeline pipeline = pipeline("writer", WriteMode.BLOCKING);
    FutureTask<Stripe> waiting = start(() -> pipeline.acquire(true));
    FutureTask<Void> growing =
        start(
            () -> {
              stripe.reserve();
              return null;
            });
    pipeline.fail(new IOException("aborted"));
    assertThatThrownBy(waiting::get).hasRootCauseMessage("aborted");
    small.fail(new IOException("aborted, too"));
    assertThatThrownBy(growing::get).hasRootCauseMessage("aborted, too");
    stripe.release();
    reserve(BYTES - 1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pipeline("other", WriteMode.BLOCKING).acquire(true))
        .isInstanceOf(InterruptedIOException.class);
    pool.endedSending();
    pool.unreserve(10 * BYTES);
  }

  /** A waiting thread that holds the stripe's lock would block the thread that renews leases. */
  @Test
  void aFailureEndsTheWaitForMemoryThatTheJvmRefused() throws Exception {
    AtomicBoolean isCancelled = new AtomicBoolean();
    FutureTask<ByteBuffer> waiting =
        new FutureTask<>(() -> pool.take(Integer.MAX_VALUE, false, isCancelled::get));
    Thread thread = new Thread(waiting, "waits");
    thread.start();
    await(() -> thread.getState() == Thread.State.TIMED_WAITING);
    isCancelled.set(true);
    pool.wake();
    assertThatThrownBy(waiting::get)
        .hasRootCauseInstanceOf(IOException.class)
        .hasRootCauseMessage("Cannot get 2147483647 bytes for a cell: the write has failed");
  }
}
