// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.natives.library.NeedsNativeLibrary;
import org.stripeline.testkit.ForkedJvm;

/** Tests every instruction set of this machine, each selected in a separate JVM. */
@NeedsNativeLibrary
class InstructionSetTest {
  private static final int CODES = 25;

  @ParameterizedTest
  @ValueSource(strings = {"portable", "ssse3", "avx2", "avx2+gfni", "avx512+gfni", "neon"})
  void agreesWithJava(String isa) throws Exception {
    ForkedJvm.Result outcome =
        ForkedJvm.of(Main.class, isa).environment("STRIPELINE_ISA", isa).run();
    assumeTrue(outcome.exitCode() != Main.UNAVAILABLE, () -> "this machine lacks " + isa);
    assertThat(outcome.exitCode()).as(outcome.output()).isEqualTo(0);
    assertThat(outcome.output()).contains("isa=" + isa + " ");
  }

  /** The main class of the other JVM. */
  static final class Main {
    static final int UNAVAILABLE = 77;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
      NeedsNativeLibrary.Condition.verifyLoaded();
      CoderStatus status = CoderStatus.current();
      System.out.println("isa=" + status.isa() + " selection=" + status.selection());
      if (!status.isa().equals(arguments[0])) {
        System.exit(UNAVAILABLE);
      }
      CodecAgreementTest.compareRandomCodes(CODES);
    }
  }
}
