// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.testkit.ForkedJvm;

/**
 * Tests that the programs in examples/java compile and behave as their comments say, with either
 * codec.
 */
class ExampleTest {
  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void encodeAndRepair(String nativeEnabled) throws Exception {
    assertThat(run("EncodeAndRepair.java", nativeEnabled))
        .contains(
            "encoded: 3 parity units, 18432 checksums",
            "restored: units [7, 0, 4]",
            "updated: parity follows the change of unit 2",
            "verified: a flipped byte in parity unit 2 is found");
  }

  @Test
  void aWindowOfStripesIsEncoded() throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    assertThat(run("WindowOfStripes.java", "true"))
        .contains(
            "encoded: 100 stripes, 8 in flight at a time",
            "verified: parity of the last 8 matches",
            "repaired: unit 2, in the background",
            "rail cpu: ");
  }

  private static String run(String example, String nativeEnabled) throws Exception {
    Path source = Paths.get(System.getProperty("stripeline.root"), "examples", "java", example);
    return ForkedJvm.of(source).with("-Dstripeline.native.enabled=" + nativeEnabled).output();
  }
}
