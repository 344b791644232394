// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.io.erasurecode.rawcoder;

import org.junit.jupiter.api.Test;
import org.stripeline.coder.RsCoderFactory;

/**
 * Runs Hadoop's own tests of raw coders on Stripeline's.
 *
 * <p>They are JUnit 4 tests up to Hadoop 3.4 and JUnit 5 tests from 3.5 on; a constructor works
 * with both, a method that runs before each test does not.
 */
public class TestRsCoder extends TestRSRawCoderBase {
  /** Selects the factory to test. */
  public TestRsCoder() {
    encoderFactoryClass = RsCoderFactory.class;
    decoderFactoryClass = RsCoderFactory.class;
    setAllowDump(false);
    // One inherited test sets no units, and Stripeline rejects a coder without units.
    numDataUnits = 6;
    numParityUnits = 3;
  }

  @Test
  void releasedCodersRefuseToWork() throws Exception {
    prepare(null, 6, 3, new int[] {0}, new int[] {0});
    testAfterRelease();
  }
}
