// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Computes the parity and the checksums of a stripe; several threads may call it concurrently. */
public interface StripeEncoder {

  /** Returns whether the cells should be direct buffers. */
  boolean prefersDirect();

  /**
   * Issues the parity to coders beside the CPUs, and returns at once. {@link #encode} follows when
   * the future has ended; the stripe's buffers are kept until then.
   *
   * @return null if there are no such coders
   */
  default CompletableFuture<?> issue(Stripe stripe) throws IOException {
    return null;
  }

  /**
   * Computes parity and checksums from the user bytes.
   *
   * @param hasParity whether what was issued has computed the parity
   */
  void encode(Stripe stripe, boolean hasParity) throws IOException;

  /** Releases the encoder's resources; encoding afterwards fails. */
  void close();
}
