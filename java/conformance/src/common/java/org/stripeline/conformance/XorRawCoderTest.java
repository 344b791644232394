// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.rawcoder.TestXORRawCoderBase;

/** Hadoop's raw coder tests on the coder under test for codec {@code xor}. */
public class XorRawCoderTest extends TestXORRawCoderBase {
  /** Set up here and not in a method, so that one source serves JUnit 4 and 5. */
  public XorRawCoderTest() {
    encoderFactoryClass = LiveFactory.Xor.class;
    decoderFactoryClass = LiveFactory.Xor.class;
    setAllowDump(false);
  }
}
