// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.CoderStatus;
import org.stripeline.natives.ErasureCodec;

/**
 * Says once per process that Stripeline's coder is live, and in what form.
 *
 * <p>Hadoop falls from one coder to the next without a word, so that the absence of this line is
 * how an operator learns that another coder is in use.
 */
final class LiveCoder {
  private static final Logger LOG = LoggerFactory.getLogger(LiveCoder.class);
  private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

  private LiveCoder() {}

  static void announce(ErasureCodec codec) {
    // The read keeps the line of cache shared between threads that create coders.
    if (!ANNOUNCED.get() && ANNOUNCED.compareAndSet(false, true)) {
      LOG.info(
          "Erasure coder live: {}, first used for {}; {}",
          StripelineCoderFactory.CODER_NAME,
          codec,
          CoderStatus.current());
    }
  }
}
