// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stripeline.client.WriteMode;

/** Tests order, bounds and failures of the pipeline. */
@Timeout(60)
class StripePipelineTest extends StripePipelineCase {
  @ParameterizedTest
  @CsvSource({
    "FUNCTIONAL_PARTITIONED, 1",
    "FUNCTIONAL_PARTITIONED, 4",
    "NON_BLOCKING, 1",
    "NON_BLOCKING, 4",
    "BLOCKING, 1",
    "BLOCKING, 4"
  })
  void keepsTheOrderOfTheFile(WriteMode mode, int stripesOfGroup) throws IOException {
    StripePipeline pipeline = pipeline(mode);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      boolean opens = i % stripesOfGroup == 0;
      submit(pipeline, i, opens);
      if (opens) {
        expected.add("group");
      }
      expected.add("stripe " + i);
    }
    pipeline.finish();
    assertThat(events).isEqualTo(expected);
    await(() -> pipeline.occupied() == 0);
  }

  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING"})
  void sendsWhatIsEncodedWithoutTheUser(WriteMode mode) throws Exception {
    StripePipeline pipeline = pipeline(mode);
    submit(pipeline, 0, true);
    pipeline.awaitSent();
    assertThat(events).containsExactly("group", "stripe 0");
    pipeline.finish();
  }

  @Test
  void opensAGroupBeforeItsFirstStripeIsFull() throws Exception {
    StripePipeline pipeline = pipeline(WriteMode.FUNCTIONAL_PARTITIONED);
    Stripe stripe = pipeline.acquire(true);
    stripe.put((byte) 1);
    assertThat(events).isEmpty();
    pipeline.openGroup(stripe);
    pipeline.openGroup(stripe);
    pipeline.awaitGroup();
    assertThat(events).containsExactly("group");
    stripe.release();
    pipeline.finish();
  }

  @Test
  void theWindowBlocksAWriterUntilAnAcknowledgement() throws Exception {
    acknowledges = false;
    StripePipeline pipeline = pipeline(WriteMode.FUNCTIONAL_PARTITIONED);
    for (int i = 0; i < WriteSettings.STRIPES_MIN; i++) {
      submit(pipeline, i, i == 0);
    }
    pipeline.awaitSent();
    assertThat(pipeline.occupied()).isEqualTo(WriteSettings.STRIPES_MIN);
    long stalls = WriteStatistics.shared().stalls();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pipeline.acquire(false)).isInstanceOf(InterruptedIOException.class);
    assertThat(WriteStatistics.shared().stalls()).isGreaterThan(stalls);
    unacknowledged.remove(0).release();
    submit(pipeline, 9, false);
    pipeline.finish();
    assertThat(events).endsWith("stripe 9");
  }

  @Test
  void tightMemoryLeavesOneStripeToEachStream() throws Exception {
    CellPool tight = new CellPool(0, 2 * LAYOUT.bytes());
    StripePipeline pipeline =
        new StripePipeline(
            "f",
            settings(WriteMode.BLOCKING),
            LAYOUT,
            new WriteResources(EncoderThreads.create(1), tight),
            new Encoder(),
            new Sink());
    acknowledges = false;
    submit(pipeline, 0, true);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pipeline.acquire(false)).isInstanceOf(InterruptedIOException.class);
    acknowledgeAll();
    submit(pipeline, 1, false);
    acknowledgeAll();
    await(() -> tight.taken() == 0);
    assertThat(tight.keptBytes()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING", "BLOCKING"})
  void aFailureOfTheSinkReachesTheWriter(WriteMode mode) {
    StripePipeline pipeline = pipeline(mode);
    sinkFailure = new IOException("no more");
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                submit(pipeline, i, i == 0);
              }
              pipeline.finish();
            })
        .isSameAs(sinkFailure);
    assertThat(pipeline.failure()).isSameAs(sinkFailure);
  }

  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING", "BLOCKING"})
  void aFaultOfTheEncoderReachesTheWriter(WriteMode mode) {
    StripePipeline pipeline = pipeline(mode);
    encoderFailure = new IllegalStateException("broken");
    assertThatThrownBy(
            () -> {
              submit(pipeline, 0, true);
              pipeline.finish();
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("broken")
        .hasCause(encoderFailure);
    assertThatThrownBy(pipeline::finish).hasMessageContaining("broken");
  }

  @ParameterizedTest
  @EnumSource(
      value = WriteMode.class,
      names = {"FUNCTIONAL_PARTITIONED", "NON_BLOCKING", "BLOCKING"})
  void aFaultOfTheSinkReachesTheWriter(WriteMode mode) {
    StripePipeline pipeline = pipeline(mode);
    sinkFault = new IllegalStateException("queue is full");
    assertThatThrownBy(
            () -> {
              submit(pipeline, 0, true);
              pipeline.finish();
            })
        .isInstanceOf(IOException.class)
        .hasCause(sinkFault);
    assertThat(pipeline.failure()).hasCause(sinkFault);
  }

  /**
   * Without memory to describe an Error, the thread that meets it must still fail the pipeline;
   * otherwise the file would lack a stripe, or the writer would wait for it forever.
   */
  @ParameterizedTest
  @CsvSource({
    "FUNCTIONAL_PARTITIONED, true",
    "FUNCTIONAL_PARTITIONED, false",
    "NON_BLOCKING, true",
    "NON_BLOCKING, false",
    "BLOCKING, true",
    "BLOCKING, false"
  })
  void anErrorThatCannotBeDescribedReachesTheWriter(WriteMode mode, boolean inSink) {
    StripePipeline pipeline = pipeline(mode);
    RuntimeException indescribable =
        new IllegalStateException() {
          @Override
          public String toString() {
            throw new OutOfMemoryError("no memory for a message");
          }
        };
    if (inSink) {
      sinkFault = indescribable;
    } else {
      encoderFailure = indescribable;
    }
    assertThatThrownBy(
            () -> {
              submit(pipeline, 0, true);
              pipeline.finish();
            })
        .hasMessageContaining("the JVM has no memory");
    assertThatThrownBy(pipeline::finish).isSameAs(pipeline.failure());
  }

  /** The array of references to the buffers would be longer than the JVM permits. */
  @Test
  void aStripeThatCannotBeCreatedLeavesNoReservation() {
    StripeLayout huge = new StripeLayout(Integer.MAX_VALUE - 1, 1, 1024, 512, 0, false);
    StripeWindow window = new StripeWindow(huge, pool, 3, WriteStatistics.shared());
    assertThatThrownBy(() -> window.acquire(true)).isInstanceOf(OutOfMemoryError.class);
    assertThat(pool.reservedBytes()).isZero();
    assertThat(window.occupied()).isZero();
  }

  @Test
  void encodersThatRefuseStripesFailThePipeline() {
    WriteResources refusing =
        new WriteResources(
            task -> {
              throw new RejectedExecutionException("no thread");
            },
            pool);
    StripePipeline pipeline =
        new StripePipeline(
            "f",
            settings(WriteMode.FUNCTIONAL_PARTITIONED),
            LAYOUT,
            refusing,
            new Encoder(),
            new Sink());
    assertThatThrownBy(() -> submit(pipeline, 0, true)).hasMessageContaining("no thread");
    assertThatThrownBy(pipeline::finish).hasMessageContaining("no thread");
  }

  /** The bytes of the stripe are lost: no bytes may follow, and the file must not be completed. */
  @Test
  void aStripeThatGetsNoMemoryFailsThePipeline() {
    // More than the maximum length of an array.
    int checksum = (Integer.MAX_VALUE - 1) / LAYOUT.units() / LAYOUT.checksums(LAYOUT.cellSize());
    StripeLayout large = new StripeLayout(2, 1, 1024, 512, checksum, false);
    AtomicLong nanos = new AtomicLong();
    CellPool starved =
        new CellPool(0, Long.MAX_VALUE, () -> nanos.addAndGet(TimeUnit.SECONDS.toNanos(10)));
    StripePipeline pipeline =
        new StripePipeline(
            "f",
            settings(WriteMode.FUNCTIONAL_PARTITIONED),
            large,
            new WriteResources(EncoderThreads.create(1), starved),
            new Encoder(),
            new Sink());
    assertThatThrownBy(() -> submit(pipeline, 0, true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the JVM has no memory");
    assertThat(starved.taken()).isZero();
    assertThat(starved.reservedBytes()).isZero();
    assertThatThrownBy(() -> pipeline.acquire(false)).isSameAs(pipeline.failure());
    assertThatThrownBy(pipeline::finish).isSameAs(pipeline.failure());
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "4", "5"})
  void failingAtAnyMomentReleasesAll(long seed) throws Exception {
    Random random = new Random(seed);
    StripePipeline pipeline = pipeline(WriteMode.FUNCTIONAL_PARTITIONED);
    int moment = random.nextInt(30);
    CountDownLatch now = new CountDownLatch(1);
    Thread failing =
        new Thread(
            () -> {
              try {
                now.await();
              } catch (InterruptedException e) {
                return;
              }
              pipeline.fail(new IOException("aborted"));
            });
    failing.start();
    encodings.drainPermits();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1_000_000; i++) {
                if (i == moment) {
                  now.countDown();
                }
                encodings.release();
                submit(pipeline, i, i % 3 == 0);
              }
            })
        .hasMessage("aborted");
    encodings.release(1_000_000);
    failing.join();
    assertThatThrownBy(pipeline::finish).hasMessage("aborted");
  }

  @Test
  void anInterruptedFinishFailsThePipeline() throws Exception {
    StripePipeline pipeline = pipeline(WriteMode.FUNCTIONAL_PARTITIONED);
    encodings.drainPermits();
    submit(pipeline, 0, true);
    Thread.currentThread().interrupt();
    assertThatThrownBy(pipeline::finish).isInstanceOf(InterruptedIOException.class);
    encodings.release(1_000);
  }
}
