// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;

/** Writes parity that it has not computed, but decodes as Hadoop does: benches must detect it. */
public final class WrongParityFactory implements RawErasureCoderFactory {
  @Override
  public RawErasureEncoder createEncoder(ErasureCoderOptions options) {
    return new NoOpCoderFactory().createEncoder(options);
  }

  @Override
  public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
    return new RSRawDecoder(options);
  }

  @Override
  public String getCoderName() {
    return "wrong-parity";
  }

  @Override
  public String getCodecName() {
    return "rs";
  }
}
