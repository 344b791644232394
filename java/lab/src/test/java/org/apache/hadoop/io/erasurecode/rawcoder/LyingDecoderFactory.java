// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/** Encodes correctly but decodes with one flipped bit, which the demo must detect. */
public final class LyingDecoderFactory implements RawErasureCoderFactory {
  /** The name for the configuration. */
  public static final String CODER_NAME = "lying-decoder";

  @Override
  public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return new RSRawEncoder(options);
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return new RSRawDecoder(options) {
      @Override
      protected void doDecode(ByteBufferDecodingState state) {
        super.doDecode(state);
        int at = state.outputs[0].position();
        state.outputs[0].put(at, (byte) (state.outputs[0].get(at) ^ 1));
      }

      @Override
      protected void doDecode(ByteArrayDecodingState state) {
        super.doDecode(state);
        state.outputs[0][state.outputOffsets[0]] ^= 1;
      }
    };
  }

  @Override
  public String getCoderName() {
    return CODER_NAME;
  }

  @Override
  public String getCodecName() {
    return "rs";
  }
}
