// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;

/** Takes the same buffers as encoding, without encoding. */
final class PaddingEncoder implements StripeEncoder {
  private final StripeLayout layout;

  PaddingEncoder(StripeLayout layout) {
    this.layout = layout;
  }

  @Override
  public boolean prefersDirect() {
    return true;
  }

  @Override
  public void encode(Stripe stripe, boolean hasParity) throws IOException {
    stripe.padded(layout.dataUnits(), layout.units());
  }

  @Override
  public void close() {}
}
