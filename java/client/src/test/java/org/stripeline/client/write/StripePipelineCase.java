// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.WriteMode;

/** A pipeline with a sink and an encoder that the test controls. */
abstract class StripePipelineCase {
  static final StripeLayout LAYOUT = new StripeLayout(2, 1, 1024, 512, 4, false);

  final CellPool pool = new CellPool(1 << 20, Long.MAX_VALUE);
  final WriteResources resources = new WriteResources(EncoderThreads.create(2), pool);
  final List<String> events = Collections.synchronizedList(new ArrayList<>());
  final List<Stripe> unacknowledged = Collections.synchronizedList(new ArrayList<>());
  final Semaphore encodings = new Semaphore(Integer.MAX_VALUE / 2);

  /** What the encoder has issued; it issues nothing while this is null. */
  List<CompletableFuture<Void>> issued;

  /** What is issued next; null for a new future. */
  CompletableFuture<Void> device;

  /** For each encoded stripe, whether what was issued has computed the parity. */
  final List<Boolean> withParity = Collections.synchronizedList(new ArrayList<>());

  volatile IOException sinkFailure;
  volatile RuntimeException encoderFailure;
  volatile RuntimeException sinkFault;
  boolean acknowledges = true;

  @AfterEach
  final void allBuffersAreBack() {
    acknowledgeAll();
    await(() -> pool.taken() == 0);
  }

  /**
   * Waits for a condition; an encoder thread releases its stripe a moment after the stripe is
   * encoded.
   */
  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  StripePipeline pipeline(WriteMode mode) {
    return new StripePipeline("f", settings(mode), LAYOUT, resources, new Encoder(), new Sink());
  }

  static WriteSettings settings(WriteMode mode) {
    Configuration conf = new Configuration(false);
    conf.set(ClientKeys.WRITE_MODE, mode.configurationName());
    conf.setLong(ClientKeys.WRITE_WINDOW, 1);
    return WriteSettings.of(conf);
  }

  /** Submits a stripe whose first byte is its number. */
  static void submit(StripePipeline pipeline, int number, boolean opensGroup) throws IOException {
    Stripe stripe = pipeline.acquire(opensGroup);
    stripe.put((byte) number);
    pipeline.submit(stripe);
  }

  void acknowledgeAll() {
    while (!unacknowledged.isEmpty()) {
      unacknowledged.remove(0).release();
    }
  }

  final class Sink implements StripeSink {
    @Override
    public void openGroup() {
      events.add("group");
    }

    @Override
    public void send(Stripe stripe) throws IOException {
      if (sinkFault != null) {
        throw sinkFault;
      }
      if (sinkFailure != null) {
        throw sinkFailure;
      }
      events.add("stripe " + stripe.data(0, 0, 1).get());
      if (!acknowledges) {
        stripe.retain();
        unacknowledged.add(stripe);
      }
    }
  }

  final class Encoder implements StripeEncoder {
    @Override
    public boolean prefersDirect() {
      return false;
    }

    @Override
    public CompletableFuture<?> issue(Stripe stripe) throws IOException {
      if (issued == null) {
        return null;
      }
      CompletableFuture<Void> future = device == null ? new CompletableFuture<>() : device;
      issued.add(future);
      return future;
    }

    @Override
    public void encode(Stripe stripe, boolean hasParity) throws IOException {
      withParity.add(hasParity);
      if (encoderFailure != null) {
        throw encoderFailure;
      }
      encodings.acquireUninterruptibly();
      stripe.padded(2, 3);
    }

    @Override
    public void close() {
      events.add("closed");
    }
  }
}
