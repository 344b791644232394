// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.natives.engine.RailCodec;

/**
 * Has the rails of an engine compute parity, with several stripes in flight and no thread that
 * waits for them; the checksums take a pass of their own, because a device computes none. Stripes
 * that the engine refuses or cannot code are encoded without it.
 */
final class IssuedStripeEncoder implements StripeEncoder {
  private final RailCodec codec;
  private final DataChecksum.Type type;
  private final StripeEncoder direct;

  IssuedStripeEncoder(RailCodec codec, DataChecksum.Type type, StripeEncoder direct) {
    this.codec = codec;
    this.type = type;
    this.direct = direct;
  }

  @Override
  public boolean prefersDirect() {
    return true;
  }

  @Override
  public CompletableFuture<?> issue(Stripe stripe) throws IOException {
    StripeLayout layout = stripe.layout();
    return codec.iencode(
        stripe.padded(0, layout.dataUnits()), stripe.padded(layout.dataUnits(), layout.units()));
  }

  @Override
  public void encode(Stripe stripe, boolean hasParity) throws IOException {
    if (hasParity) {
      // An object for each call, because DataChecksum is not thread-safe.
      stripe.addChecksums(DataChecksum.newDataChecksum(type, stripe.layout().bytesPerChecksum()));
    } else {
      direct.encode(stripe, false);
    }
  }

  @Override
  public void close() {
    codec.close();
    direct.close();
  }
}
