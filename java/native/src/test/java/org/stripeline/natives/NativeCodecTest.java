// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import org.junit.jupiter.api.BeforeAll;

class NativeCodecTest extends CodecContractTest {
  @BeforeAll
  static void requireLibrary() {
    NativeLibraryUnderTest.require();
  }

  @Override
  ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new NativeCodec(code, dataUnits, parityUnits);
  }
}
