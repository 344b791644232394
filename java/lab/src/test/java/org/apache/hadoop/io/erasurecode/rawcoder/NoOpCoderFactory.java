// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * Makes coders that touch no byte: what is left of a write when coding costs nothing.
 *
 * <p>Files written with it cannot be repaired, so it is for benches only and never in the jar. It
 * wants direct buffers, as our coder does, so that both are given the same.
 */
public final class NoOpCoderFactory implements RawErasureCoderFactory {
  @Override
  public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return new RawErasureEncoder(options) {
      @Override
      public boolean preferDirectBuffer() {
        return true;
      }

      @Override
      protected void doEncode(ByteBufferEncodingState state) {}

      @Override
      protected void doEncode(ByteArrayEncodingState state) {}
    };
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    throw new UnsupportedOperationException("Cannot decode with the no-op coder");
  }

  @Override
  public String getCoderName() {
    return "noop";
  }

  @Override
  public String getCodecName() {
    return "rs";
  }
}
