// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.junit.jupiter.api.Test;
import org.stripeline.coder.XorCoderFactory;

/**
 * Hadoop's own tests of raw coders, on ours.
 *
 * <p>They are JUnit 4 up to Hadoop 3.4 and JUnit 5 from 3.5; the constructor serves both, where a
 * method to run before each test would not.
 */
public class TestXorCoder extends TestXORRawCoderBase {
  /** Says which factory to test. */
  public TestXorCoder() {
    encoderFactoryClass = XorCoderFactory.class;
    decoderFactoryClass = XorCoderFactory.class;
    setAllowDump(false);
    // One inherited test sets no units, and a coder without any is refused here.
    numDataUnits = 10;
    numParityUnits = 1;
  }

  @Test
  void released_coders_refuse_to_work() throws Exception {
    prepare(null, 10, 1, new int[] {0}, new int[0]);
    testAfterRelease();
  }
}
