// SPDX-License-Identifier: Apache-2.0
package org.stripeline.coder;

import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.StripelineRawEncoder;
import org.stripeline.coder.metrics.CoderMetrics;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;

/**
 * Creates the coders of one codec.
 *
 * <p>HDFS creates a decoder for every file that it opens, so creation must be fast: it takes about
 * a microsecond, because the whole process shares the native codec and its tables.
 */
abstract class StripelineCoderFactory implements RawErasureCoderFactory {
  /**
   * The name to configure. It must not contain "native", because {@code
   * io.erasurecode.codec.native.enabled} switches off every coder whose name does.
   */
  static final String CODER_NAME = "stripeline";

  private final Code code;

  StripelineCoderFactory(Code code) {
    this.code = code;
  }

  @Override
  public final RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return new StripelineRawEncoder(options, create(options), CoderMetrics.shared());
  }

  @Override
  public final RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return new StripelineRawDecoder(options, create(options), CoderMetrics.shared());
  }

  @Override
  public final String getCoderName() {
    return CODER_NAME;
  }

  @Override
  public final String getCodecName() {
    return code.codecName();
  }

  private ErasureCodec create(ErasureCoderOptions options) {
    ErasureCodec codec =
        CoderCodecs.create(code, options.getNumDataUnits(), options.getNumParityUnits());
    LiveCoder.announce(codec);
    return codec;
  }
}
