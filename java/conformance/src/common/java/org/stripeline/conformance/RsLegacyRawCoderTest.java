// SPDX-License-Identifier: Apache-2.0
package org.stripeline.conformance;

import org.apache.hadoop.io.erasurecode.rawcoder.TestRSRawCoderBase;

/** Hadoop's raw coder tests on the coder under test for codec {@code rs-legacy}. */
public class RsLegacyRawCoderTest extends TestRSRawCoderBase {
  /** Set up here and not in a method, so that one source serves JUnit 4 and 5. */
  public RsLegacyRawCoderTest() {
    encoderFactoryClass = LiveFactory.RsLegacy.class;
    decoderFactoryClass = LiveFactory.RsLegacy.class;
    setAllowDump(false);
  }
}
