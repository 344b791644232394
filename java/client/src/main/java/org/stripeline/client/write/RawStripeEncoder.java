// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.util.DataChecksum;

/** Computes parity with any of Hadoop's coders, then checksums with Hadoop's class. */
final class RawStripeEncoder implements StripeEncoder {
  private final RawErasureEncoder encoder;
  private final DataChecksum checksum;

  RawStripeEncoder(RawErasureEncoder encoder, DataChecksum.Type type, int bytesPerChecksum) {
    this.encoder = encoder;
    // A separate instance, because DataChecksum is not thread-safe.
    this.checksum = DataChecksum.newDataChecksum(type, bytesPerChecksum);
  }

  @Override
  public boolean prefersDirect() {
    return encoder.preferDirectBuffer();
  }

  /** Synchronized because neither Hadoop's coders nor its checksums are thread-safe. */
  @Override
  public synchronized void encode(Stripe stripe, boolean hasParity) throws IOException {
    StripeLayout layout = stripe.layout();
    encoder.encode(
        stripe.padded(0, layout.dataUnits()), stripe.padded(layout.dataUnits(), layout.units()));
    stripe.addChecksums(checksum);
  }

  @Override
  public void close() {
    encoder.release();
  }
}
