// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the programs in examples/java compile and behave as their comments say, with either
 * codec.
 */
class ExampleTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void encode_and_repair(String nativeEnabled) throws Exception {
    assertThat(run("EncodeAndRepair.java", nativeEnabled))
        .contains(
            "encoded: 3 parity units, 18432 checksums",
            "restored: units [7, 0, 4]",
            "updated: parity follows the change of unit 2",
            "verified: a flipped byte in parity unit 2 is found");
  }

  @Test
  void window_of_stripes() throws Exception {
    assumeTrue(CoderStatus.current().isNative());
    assertThat(run("WindowOfStripes.java", "true"))
        .contains(
            "encoded: 100 stripes, 8 under way at a time",
            "verified: parity of the last 8 fits",
            "repaired: unit 2, in the background",
            "rail cpu: ");
  }

  private String run(String example, String nativeEnabled) throws Exception {
    Path source = Paths.get(System.getProperty("stripeline.root"), "examples", "java", example);
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-Xmx256m",
                "-D" + NativeLoader.ENABLED_KEY + "=" + nativeEnabled,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                source.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    String text = new String(Files.readAllBytes(output));
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
