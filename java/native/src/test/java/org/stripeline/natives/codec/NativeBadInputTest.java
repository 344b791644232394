// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import org.stripeline.natives.library.NeedsNativeLibrary;

@NeedsNativeLibrary
class NativeBadInputTest extends BadInputContractTest {
  @Override
  protected ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new NativeCodec(code, dataUnits, parityUnits);
  }
}
