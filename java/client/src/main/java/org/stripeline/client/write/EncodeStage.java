// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.stripeline.client.IssuedEnd;
import org.stripeline.natives.Ticker;

/**
 * Encodes the stripes of one stream: first what is issued to coders beside the CPUs, then the rest,
 * on encoder threads or on the calling thread.
 */
final class EncodeStage {
  private static final Throwable NOT_ISSUED = new IOException("Nothing was issued");

  private final StripeEncoder encoder;
  private final Executor threads;
  private final Ticker ticker;
  private final WriteStatistics statistics;
  private final BooleanSupplier isAbandoned;
  private final BiConsumer<Stripe, Throwable> ended;

  /**
   * Creates the stage of a stream.
   *
   * @param isAbandoned whether its stripes need not be encoded any more
   * @param ended is called once for each stripe that is begun, by any thread, when nothing uses its
   *     buffers any more; with why it is not encoded, or null
   */
  EncodeStage(
      StripeEncoder encoder,
      WriteResources resources,
      WriteStatistics statistics,
      BooleanSupplier isAbandoned,
      BiConsumer<Stripe, Throwable> ended) {
    this.encoder = encoder;
    this.threads = resources.encoders();
    this.ticker = resources.ticker();
    this.statistics = statistics;
    this.isAbandoned = isAbandoned;
    this.ended = ended;
  }

  /** Encodes a stripe on the calling thread, which waits for what is issued. */
  void encode(Stripe stripe) throws IOException {
    CountDownLatch end = new CountDownLatch(1);
    AtomicBoolean hasParity = new AtomicBoolean();
    issue(
        stripe,
        new IssuedEnd(
            why -> {
              hasParity.set(why == null);
              end.countDown();
            }));
    await(end);
    finish(stripe, hasParity.get());
  }

  /**
   * Waits also if it is interrupted, because a device may write the stripe's buffers until then. A
   * wait for a future would run other tasks on a thread of a ForkJoinPool.
   */
  private static void await(CountDownLatch end) {
    boolean isInterrupted = false;
    while (end.getCount() > 0) {
      try {
        end.await();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Begins to encode a stripe; waits only if the coders beside the CPUs are full. */
  void begin(Stripe stripe) {
    IssuedEnd end;
    try {
      end = new IssuedEnd(why -> goOn(stripe, why == null));
    } catch (OutOfMemoryError e) {
      // Without an end for the stripe, close() of the file would wait forever.
      ended.accept(stripe, e);
      return;
    }
    issue(stripe, end);
  }

  private void goOn(Stripe stripe, boolean hasParity) {
    try {
      threads.execute(() -> continued(stripe, hasParity));
    } catch (RuntimeException | Error e) {
      ended.accept(stripe, e);
    }
  }

  private void continued(Stripe stripe, boolean hasParity) {
    Throwable why = null;
    try {
      if (!isAbandoned.getAsBoolean()) {
        finish(stripe, hasParity);
      }
    } catch (IOException | RuntimeException | Error e) {
      why = e;
    }
    ended.accept(stripe, why);
  }

  /**
   * Issues the parity of a stripe.
   *
   * @param end runs when that has ended; without it, or if the issued work failed, all of the
   *     stripe is encoded by {@link StripeEncoder#encode}
   */
  private void issue(Stripe stripe, IssuedEnd end) {
    CompletableFuture<?> issued = null;
    Throwable why = null;
    try {
      issued = encoder.issue(stripe);
    } catch (IOException | RuntimeException | Error e) {
      // A failure that is not the engine's comes again, and reaches the writer then.
      why = e;
    }
    if (issued == null) {
      end.accept(null, why == null ? NOT_ISSUED : why);
    } else {
      end.follow(issued);
    }
  }

  private void finish(Stripe stripe, boolean hasParity) throws IOException {
    long start = ticker.nanos();
    encoder.encode(stripe, hasParity);
    statistics.encoded(stripe.size(), ticker.nanos() - start);
  }
}
