// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;

/** Where stripes go. One thread at a time calls it, and stripes come in the order of the file. */
public interface StripeSink {

  /** Makes ready for the block group whose first bytes are being collected. */
  void openGroup() throws IOException;

  /** Queues all cells of an encoded stripe; every reference kept is one {@link Stripe#retain()}. */
  void send(Stripe stripe) throws IOException;
}
