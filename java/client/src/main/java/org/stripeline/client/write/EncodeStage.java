// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.client.IssuedEnd;
import org.stripeline.natives.Ticker;

/**
 * Encodes the stripes of one stream: first what is issued to coders beside the CPUs, then the rest,
 * on encoder threads or on the calling thread.
 */
final class EncodeStage {
  private static final Logger LOG = LoggerFactory.getLogger(EncodeStage.class);

  /** About 12 KiB if they are compiled, twice as much if not. */
  private static final int STACK_FRAMES = 256;

  private final StripeEncoder encoder;
  private final Executor threads;
  private final Ticker ticker;
  private final WriteStatistics statistics;

  EncodeStage(StripeEncoder encoder, WriteResources resources, WriteStatistics statistics) {
    this.encoder = encoder;
    this.threads = resources.encoders();
    this.ticker = resources.ticker();
    this.statistics = statistics;
  }

  /**
   * Throws StackOverflowError unless the stack has room for what follows. Otherwise an overflow
   * within the queue of the encoder threads could leave its lock in a state in which no stream of
   * the process is encoded any more.
   */
  static void requireStack() {
    descend(STACK_FRAMES);
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }

  /** Encodes a stripe on the calling thread, which waits for what is issued. */
  void encode(Stripe stripe) throws IOException {
    CountDownLatch end = new CountDownLatch(1);
    AtomicBoolean hasParity = new AtomicBoolean();
    issue(
        stripe,
        isDone -> {
          hasParity.set(isDone);
          end.countDown();
        });
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

  /**
   * Begins to encode a stripe; waits only if the coders beside the CPUs have the maximum of work.
   *
   * @param isAbandoned whether the stripe need not be encoded any more
   * @param ended is called once, by any thread, when nothing uses the stripe's buffers any more;
   *     with why it is not encoded, or null
   */
  void begin(Stripe stripe, BooleanSupplier isAbandoned, Consumer<Throwable> ended) {
    issue(
        stripe,
        hasParity -> {
          try {
            threads.execute(() -> continued(stripe, hasParity, isAbandoned, ended));
          } catch (RuntimeException | Error e) {
            ended.accept(e);
          }
        });
  }

  private void continued(
      Stripe stripe, boolean hasParity, BooleanSupplier isAbandoned, Consumer<Throwable> ended) {
    Throwable why = null;
    try {
      if (!isAbandoned.getAsBoolean()) {
        finish(stripe, hasParity);
      }
    } catch (IOException | RuntimeException | Error e) {
      why = e;
    }
    ended.accept(why);
  }

  /**
   * Issues the parity of a stripe.
   *
   * @param action is called once, when that has ended, with whether the parity is there; without,
   *     or if the issued work failed, all of the stripe is encoded by {@link StripeEncoder#encode}
   */
  private void issue(Stripe stripe, Consumer<Boolean> action) {
    IssuedEnd end = new IssuedEnd(why -> action.accept(why == null));
    CompletableFuture<?> issued = null;
    try {
      issued = encoder.issue(stripe);
    } catch (IOException | RuntimeException | Error e) {
      // A failure that is not the engine's comes again, and reaches the writer then.
      LOG.debug("Cannot issue a stripe", e);
    }
    if (issued == null) {
      action.accept(false);
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
