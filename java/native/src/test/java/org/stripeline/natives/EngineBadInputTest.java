// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs the suite with an engine, by calls that wait. */
@NeedsNativeLibrary
class EngineBadInputTest extends BadInputContractTest {
  private static RailEngine engine;

  @BeforeAll
  static void open() throws Exception {
    engine = Engines.open("check-every=3");
  }

  @AfterAll
  static void close() {
    engine.close();
  }

  @Override
  ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return engine.codec(code, dataUnits, parityUnits);
  }
}
