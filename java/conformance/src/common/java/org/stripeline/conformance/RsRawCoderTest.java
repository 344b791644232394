// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.rawcoder.TestRSRawCoderBase;

/** Runs Hadoop's raw coder tests with the coder under test for codec {@code rs}. */
public class RsRawCoderTest extends TestRSRawCoderBase {
  /**
   * Initialized here and not in a method, so that the same source works with JUnit 4 and 5. Two
   * inherited tests set no code and would request one of 0+0 units, which Hadoop's coders allow and
   * ours refuse; this constructor sets a code for them, with more erased units than it can decode,
   * which is what one of these tests is about.
   */
  public RsRawCoderTest() {
    encoderFactoryClass = LiveFactory.Rs.class;
    decoderFactoryClass = LiveFactory.Rs.class;
    prepare(null, 6, 3, new int[] {0, 1, 2, 3}, new int[0]);
    setAllowDump(false);
  }
}
