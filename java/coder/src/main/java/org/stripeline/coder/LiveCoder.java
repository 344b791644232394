// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Logs once per process that Stripeline's coder is in use, and which implementation of it.
 *
 * <p>Hadoop falls back from one coder to the next silently, so the absence of this message shows an
 * operator that another coder is in use.
 */
final class LiveCoder {
  private static final Logger LOG = LoggerFactory.getLogger(LiveCoder.class);
  private static final AtomicBoolean ANNOUNCED = new AtomicBoolean();

  private LiveCoder() {}

  static void announce(ErasureCodec codec) {
    // The read keeps the cache line shared between threads that create coders.
    if (!ANNOUNCED.get() && ANNOUNCED.compareAndSet(false, true)) {
      LOG.info(
          "Erasure coder live: {}, first used for {}; {}",
          StripelineCoderFactory.CODER_NAME,
          codec,
          CoderStatus.current());
    }
  }
}
