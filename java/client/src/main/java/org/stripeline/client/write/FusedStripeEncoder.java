// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.natives.codec.ChecksumKind;
import org.stripeline.natives.codec.ErasureCodec;

/** Computes parity and checksums in one pass over the cells with Stripeline's codec. */
final class FusedStripeEncoder implements StripeEncoder {
  private final ErasureCodec codec;
  private final DataChecksum.Type type;
  private final ChecksumKind kind;

  FusedStripeEncoder(ErasureCodec codec, DataChecksum.Type type) {
    this.codec = codec;
    this.type = type;
    this.kind = kind(type);
  }

  /** Returns the codec's constant for a checksum type, or null if the codec does not support it. */
  static ChecksumKind kind(DataChecksum.Type type) {
    switch (type) {
      case CRC32C:
        return ChecksumKind.CRC32C;
      case CRC32:
        return ChecksumKind.CRC32;
      default:
        return null;
    }
  }

  @Override
  public boolean prefersDirect() {
    return true;
  }

  @Override
  public void encode(Stripe stripe, boolean hasParity) throws IOException {
    StripeLayout layout = stripe.layout();
    int[] sums = new int[layout.units() * layout.checksums(stripe.encodedLength())];
    codec.encodeWithChecksums(
        stripe.padded(0, layout.dataUnits()),
        stripe.padded(layout.dataUnits(), layout.units()),
        kind,
        layout.bytesPerChecksum(),
        sums);
    stripe.checksums().asIntBuffer().put(sums);
    if (!stripe.isFull()) {
      sumShortChunk(stripe);
    }
  }

  /**
   * Recomputes the checksum of the file's last chunk if it is short: the pass has included padding
   * in it.
   */
  private void sumShortChunk(Stripe stripe) throws IOException {
    StripeLayout layout = stripe.layout();
    int unit = (stripe.size() - 1) / layout.cellSize();
    int length = stripe.length(unit);
    int tail = length % layout.bytesPerChecksum();
    if (tail == 0) {
      return;
    }
    ByteBuffer chunk = stripe.data(unit, length - tail, tail);
    byte[] bytes = new byte[tail];
    chunk.get(bytes);
    DataChecksum sum = DataChecksum.newDataChecksum(type, layout.bytesPerChecksum());
    sum.update(bytes, 0, tail);
    int last = layout.checksums(length) - 1;
    stripe
        .checksums()
        .putInt(stripe.checksumStart(unit) + last * layout.checksumSize(), (int) sum.getValue());
  }

  @Override
  public void close() {
    codec.close();
  }
}
