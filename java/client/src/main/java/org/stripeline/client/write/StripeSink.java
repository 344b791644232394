// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;

/** The destination of stripes. One thread at a time calls it, with stripes in file order. */
public interface StripeSink {

  /** Prepares the block group whose first bytes are being collected. */
  void openGroup() throws IOException;

  /**
   * Queues all cells of an encoded stripe; each reference that outlives the call needs a {@link
   * Stripe#retain()}.
   */
  void send(Stripe stripe) throws IOException;
}
