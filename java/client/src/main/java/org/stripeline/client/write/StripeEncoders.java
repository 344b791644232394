// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.write;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawEncoder;
import org.apache.hadoop.util.DataChecksum;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.engine.RailCodec;

/** Selects how stripes are encoded. */
public final class StripeEncoders {
  private StripeEncoders() {}

  /**
   * Returns an encoder with the coder that Hadoop's configuration selects. If that is Stripeline's
   * coder, one pass computes parity and checksums, or parity is issued to the engine of this
   * process if it has rails beside the CPUs.
   */
  public static StripeEncoder create(
      Configuration conf, String codec, int dataUnits, int parityUnits, DataChecksum checksum) {
    RawErasureEncoder encoder =
        CodecUtil.createRawEncoder(conf, codec, new ErasureCoderOptions(dataUnits, parityUnits));
    DataChecksum.Type type = checksum.getChecksumType();
    if (!(encoder instanceof StripelineRawEncoder) || FusedStripeEncoder.kind(type) == null) {
      return new RawStripeEncoder(encoder, type, checksum.getBytesPerChecksum());
    }
    StripeEncoder onePass =
        new FusedStripeEncoder(ErasureCodec.create(Code.of(codec), dataUnits, parityUnits), type);
    Optional<RailCodec> rails = ((StripelineRawEncoder) encoder).codecOfDevices();
    if (rails.isPresent()) {
      return new IssuedStripeEncoder(rails.get(), type, onePass);
    }
    encoder.release();
    return onePass;
  }
}
