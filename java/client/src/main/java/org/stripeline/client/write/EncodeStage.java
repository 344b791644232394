// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.stripeline.natives.Ticker;

/**
 * Encodes the stripes of one stream: first what is issued to coders beside the CPUs, then the rest,
 * on encoder threads or on the calling thread.
 */
final class EncodeStage {
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

  /** Encodes a stripe on the calling thread, which waits for what is issued. */
  void encode(Stripe stripe) throws IOException {
    long start = ticker.nanos();
    Throwable why = encoder.issue(stripe).handle((result, failure) -> failure).join();
    if (why instanceof IOException) {
      throw (IOException) why;
    } else if (why != null) {
      throw new IOException("Cannot encode a stripe: " + why, why);
    }
    finish(stripe, start);
  }

  /**
   * Begins to encode a stripe; waits only if the coders beside the CPUs have the maximum of work.
   *
   * @param isAbandoned whether the stripe need not be encoded any more
   * @param ended is called once, by any thread, when nothing uses the stripe's buffers any more;
   *     with why it is not encoded, or null
   */
  void begin(Stripe stripe, BooleanSupplier isAbandoned, Consumer<Throwable> ended) {
    long start = ticker.nanos();
    Runnable rest =
        () -> {
          Throwable why = null;
          try {
            if (!isAbandoned.getAsBoolean()) {
              finish(stripe, start);
            }
          } catch (IOException | RuntimeException | Error e) {
            why = e;
          }
          ended.accept(why);
        };
    try {
      // What is thrown by an action is kept in a future that nobody reads, so that it throws none.
      encoder.issue(stripe).whenComplete((result, why) -> goOn(rest, why, ended));
    } catch (IOException | RuntimeException | Error e) {
      ended.accept(e);
    }
  }

  /** Encodes the rest of a stripe on an encoder thread if what was issued has not failed. */
  private void goOn(Runnable rest, Throwable why, Consumer<Throwable> ended) {
    Throwable failure = why;
    if (failure == null) {
      try {
        threads.execute(rest);
        return;
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
    ended.accept(failure);
  }

  private void finish(Stripe stripe, long start) throws IOException {
    encoder.encode(stripe);
    statistics.encoded(stripe.size(), ticker.nanos() - start);
  }
}
