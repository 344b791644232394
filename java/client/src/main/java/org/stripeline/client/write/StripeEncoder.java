// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;

/** Fills in the parity and the checksums of a stripe; any thread may call it, several at once. */
public interface StripeEncoder {

  /** Returns whether the cells should lie outside the heap. */
  boolean prefersDirect();

  /** Computes parity and checksums from the user bytes. */
  void encode(Stripe stripe) throws IOException;

  /** Releases what the encoder holds; encoding afterwards fails. */
  void close();
}
