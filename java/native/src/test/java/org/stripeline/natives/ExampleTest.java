// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.testkit.ForkedJvm;

/**
 * Tests that the programs in examples/java and docs/user/library.md compile and behave as their
 * comments say, with either codec and without SLF4J.
 */
class ExampleTest {
  private static final Path ROOT = Path.of(System.getProperty("stripeline.root"));

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

  @Test
  void theProgramOfThePageRestoresUnits(@TempDir Path folder) throws Exception {
    String page = Files.readString(ROOT.resolve("docs/user/library.md"));
    Matcher program = Pattern.compile("(?s)\n```java\n(.*?)```\n").matcher(page);
    assertThat(program.find()).isTrue();
    Path source = Files.writeString(folder.resolve("Program.java"), program.group(1));
    assertThat(run(source, "true").trim()).isEqualTo("1000 1002");
  }

  private static String classPathWithoutSlf4j() {
    return Arrays.stream(ForkedJvm.classPath().split(File.pathSeparator))
        .filter(entry -> !entry.contains("slf4j"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String run(String example, String nativeEnabled) throws Exception {
    return run(ROOT.resolve("examples/java").resolve(example), nativeEnabled);
  }

  private static String run(Path source, String nativeEnabled) throws Exception {
    String output =
        ForkedJvm.of(source)
            .with("-cp", classPathWithoutSlf4j())
            .with("-Dstripeline.native.enabled=" + nativeEnabled)
            .output();
    if (nativeEnabled.equals("false")) {
      assertThat(output).contains("WARNING: Falling back to pure-Java erasure coding");
    }
    return output;
  }
}
