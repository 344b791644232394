// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class NativeSelfTestTest {
  @Test
  void refusesWrongBytes() throws IOException {
    NativeSelfTest.run(new JavaCodec(Code.RS, 6, 3));
    assertThatThrownBy(() -> NativeSelfTest.run(new JavaCodec(Code.RS_LEGACY, 6, 3)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "Cannot use native library: its self-test computed a wrong parity unit 0 from arrays");
  }
}
