// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.rawcoder.TestXORRawCoderBase;

/** Hadoop's raw coder tests on the coder under test for codec {@code xor}. */
public class XorRawCoderTest extends TestXORRawCoderBase {
  /**
   * Set up here and not in a method, so that one source serves JUnit 4 and 5. Two inherited tests
   * choose no code of their own and would ask for one of 0+0 units, which Hadoop's coders allow and
   * ours refuse; they get one that has lost too much, which is what one of them is about.
   */
  public XorRawCoderTest() {
    encoderFactoryClass = LiveFactory.Xor.class;
    decoderFactoryClass = LiveFactory.Xor.class;
    prepare(null, 2, 1, new int[] {0, 1}, new int[0]);
    setAllowDump(false);
  }
}
