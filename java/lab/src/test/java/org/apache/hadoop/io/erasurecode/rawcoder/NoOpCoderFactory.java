// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/**
 * Creates coders that process no byte: a write with them shows the costs other than coding.
 *
 * <p>Files written with it cannot be repaired, so it is for benchmarks only and not in the jar. It
 * prefers direct buffers, as our coder does, so that both get the same kind.
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
