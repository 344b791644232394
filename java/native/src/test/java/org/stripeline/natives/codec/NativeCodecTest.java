// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import org.stripeline.natives.library.NeedsNativeLibrary;

@NeedsNativeLibrary
class NativeCodecTest extends CodecContractTest {
  @Override
  protected ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new NativeCodec(code, dataUnits, parityUnits);
  }
}
