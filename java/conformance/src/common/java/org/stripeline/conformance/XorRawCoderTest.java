// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.rawcoder.TestXORRawCoderBase;

/** Runs Hadoop's raw coder tests with the coder under test for codec {@code xor}. */
public class XorRawCoderTest extends TestXORRawCoderBase {
  /**
   * Initialized here and not in a method, so that the same source works with JUnit 4 and 5. Two
   * inherited tests set no code and would request one of 0+0 units, which Hadoop's coders allow and
   * ours refuse; this constructor sets a code for them, with more erased units than it can decode,
   * which is what one of these tests is about.
   */
  public XorRawCoderTest() {
    encoderFactoryClass = LiveFactory.Xor.class;
    decoderFactoryClass = LiveFactory.Xor.class;
    prepare(null, 2, 1, new int[] {0, 1}, new int[0]);
    setAllowDump(false);
  }
}
