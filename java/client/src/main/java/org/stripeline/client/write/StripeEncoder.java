// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;

/** Computes the parity and the checksums of a stripe; several threads may call it concurrently. */
public interface StripeEncoder {

  /** Returns whether the cells should be direct buffers. */
  boolean prefersDirect();

  /** Computes parity and checksums from the user bytes. */
  void encode(Stripe stripe) throws IOException;

  /** Releases the encoder's resources; encoding afterwards fails. */
  void close();
}
