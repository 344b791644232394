// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.engine;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stripeline.natives.codec.BadInputContractTest;
import org.stripeline.natives.codec.Code;
import org.stripeline.natives.codec.ErasureCodec;
import org.stripeline.natives.library.NeedsNativeLibrary;

/** Runs the suite with an engine, by issued tasks. */
@NeedsNativeLibrary
class IssuedBadInputTest extends BadInputContractTest {
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
  protected ErasureCodec create(Code code, int dataUnits, int parityUnits) {
    return new IssuedCodec(engine.codec(code, dataUnits, parityUnits));
  }
}
