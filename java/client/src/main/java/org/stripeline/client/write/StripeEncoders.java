// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawEncoder;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.client.ClientKeys;
import org.stripeline.client.ClientSettings;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/** Selects how stripes are encoded. */
public final class StripeEncoders {
  private StripeEncoders() {}

  /**
   * Returns an encoder with the coder that Hadoop's configuration selects. If that is Stripeline's
   * coder, one pass computes parity and checksums, unless {@link ClientKeys#WRITE_ENGINE} is set.
   */
  public static StripeEncoder create(
      Configuration conf, String codec, int dataUnits, int parityUnits, DataChecksum checksum) {
    RawErasureEncoder encoder =
        CodecUtil.createRawEncoder(conf, codec, new ErasureCoderOptions(dataUnits, parityUnits));
    DataChecksum.Type type = checksum.getChecksumType();
    boolean separate =
        new ClientSettings(conf).flag(ClientKeys.WRITE_ENGINE, ClientKeys.WRITE_ENGINE_DEFAULT);
    boolean fuses =
        encoder instanceof StripelineRawEncoder && FusedStripeEncoder.kind(type) != null;
    if (fuses && !separate) {
      encoder.release();
      return new FusedStripeEncoder(
          ErasureCodec.create(Code.of(codec), dataUnits, parityUnits), type);
    }
    return new RawStripeEncoder(encoder, type, checksum.getBytesPerChecksum());
  }
}
