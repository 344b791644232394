// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.rawcoder.TestRSRawCoderBase;

/** Hadoop's raw coder tests on the coder under test for codec {@code rs}. */
public class RsRawCoderTest extends TestRSRawCoderBase {
  /**
   * Set up here and not in a method, so that one source serves JUnit 4 and 5. Two inherited tests
   * choose no code of their own and would ask for one of 0+0 units, which Hadoop's coders allow and
   * ours refuse; they get one that has lost too much, which is what one of them is about.
   */
  public RsRawCoderTest() {
    encoderFactoryClass = LiveFactory.Rs.class;
    decoderFactoryClass = LiveFactory.Rs.class;
    prepare(null, 6, 3, new int[] {0, 1, 2, 3}, new int[0]);
    setAllowDump(false);
  }
}
