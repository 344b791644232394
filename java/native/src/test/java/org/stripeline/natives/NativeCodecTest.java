// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

@NeedsNativeLibrary
class NativeCodecTest extends CodecContractTest {
  @Override
  ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new NativeCodec(code, dataUnits, parityUnits);
  }
}
