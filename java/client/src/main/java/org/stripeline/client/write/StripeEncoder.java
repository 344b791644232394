// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Computes the parity and the checksums of a stripe; several threads may call it concurrently. */
public interface StripeEncoder {

  /** Returns whether the cells should be direct buffers. */
  boolean prefersDirect();

  /**
   * Issues what coders beside the CPUs can compute while no thread waits. {@link #encode} follows
   * when the future has ended, and the stripe's buffers are kept until then. The future has ended
   * at once if there is no such coder.
   */
  default CompletableFuture<?> issue(Stripe stripe) throws IOException {
    return CompletableFuture.completedFuture(null);
  }

  /** Computes parity and checksums from the user bytes, without what was issued. */
  void encode(Stripe stripe) throws IOException;

  /** Releases the encoder's resources; encoding afterwards fails. */
  void close();
}
