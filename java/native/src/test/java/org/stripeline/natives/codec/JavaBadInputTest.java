// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

class JavaBadInputTest extends BadInputContractTest {
  @Override
  protected ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new JavaCodec(code, dataUnits, parityUnits);
  }
}
