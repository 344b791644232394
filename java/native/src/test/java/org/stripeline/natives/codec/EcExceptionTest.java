// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that each kind of error has the same number in Java and in C. */
class EcExceptionTest {
  private static final Path HEADER =
      Paths.get(System.getProperty("stripeline.root"), "crates/capi/include/stripeline.h");

  @ParameterizedTest
  @EnumSource(EcException.Kind.class)
  void numbersMatchTheCInterface(EcException.Kind kind) throws Exception {
    String header = new String(Files.readAllBytes(HEADER));
    assertThat(header).contains("STRIPELINE_" + kind + " = " + kind.code() + ",");
    assertThat(EcException.Kind.of(kind.code())).isEqualTo(kind);
  }

  @Test
  void numberOfALaterVersionIsInternal() {
    assertThat(new EcException(1000, "Cannot say").kind()).isEqualTo(EcException.Kind.INTERNAL);
  }
}
