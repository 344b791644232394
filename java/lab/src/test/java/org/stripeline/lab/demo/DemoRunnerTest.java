// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.io.erasurecode.rawcoder.ForeignCodeFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.LyingDecoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.natives.CoderStatus;
import org.stripeline.terminal.ExitStatus;

/** The whole demo on a real cluster, small; and coders that lie, which it must find out. */
@Timeout(400)
class DemoRunnerTest {

  private static final String POLICY = "RS-3-2-1024k";

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final DemoReport report = new DemoReport();

  @TempDir Path directory;

  @Test
  void passesAndLeavesNothingBehind() throws IOException {
    StripeShape shape = StripeShape.ofPolicy(POLICY);

    int status = run(Contestant.usualCoders(shape));

    assertThat(report.failure).as("%s", said).isNull();
    assertThat(status).isEqualTo(ExitStatus.SOUND);
    assertThat(report.passed).isTrue();
    assertThat(report.proof.fsck).isEqualTo("HEALTHY");
    assertThat(report.proof.filesVerifiedByVerifyEc).isEqualTo(2 * report.files);
    // Healthy, degraded twice and once more at the end, for both coders.
    assertThat(report.proof.bytesVerified).isEqualTo(8 * report.bytes);
    assertThat(report.proof.parquetQueriesEqual).isEqualTo(8);
    assertThat(report.proof.blocksEqualAcrossCoders * 2).isEqualTo(report.internalBlocks);
    assertThat(report.proof.blocksEqualAfterRebuild).isEqualTo(2 * report.internalBlocks);
    assertThat(report.proof.datanodesKilled).isEqualTo(4);
    assertThat(report.proof.blocksRebuilt).isEqualTo(report.proof.blocksLost).isPositive();
    DemoReport.Coder ours = report.coder(Contestant.OURS);
    assertThat(ours.clientEncoder).endsWith("StripelineRawEncoder");
    assertThat(ours.clientInstructionSet).isEqualTo(ours.datanodeInstructionSet);
    assertThat(ours.rebuildTasks).isPositive();
    assertThat(ours.rebuildTasksFailed).isZero();
    assertThat(report.coder("rs_java").clientDecoder).endsWith("RSRawDecoder");
    assertThat(report.steps)
        .extracting(step -> step.step + " " + step.coder)
        .containsExactlyInAnyOrder(
            "write stripeline", "write rs_java",
            "read stripeline", "read rs_java",
            "read, 2 DataNodes dead stripeline", "read, 2 DataNodes dead rs_java",
            "rebuild by DataNodes stripeline", "rebuild by DataNodes rs_java");
    assertThat(report.render()).contains("PASSED in").contains("hdfs fsck: HEALTHY");
    assertNothingIsLeft();
  }

  @Test
  void failsWhenOneDecodedBitIsWrong() throws IOException {
    int status = run(Arrays.asList(LyingDecoderFactory.CODER_NAME, "rs_java"));

    assertThat(status).as("%s", said).isEqualTo(ExitStatus.FAILED);
    assertThat(report.passed).isFalse();
    assertThat(report.failure)
        .startsWith("Wrong bytes in /demo/" + LyingDecoderFactory.CODER_NAME + "/")
        .contains("CRC32C is");
    assertThat(report.render()).contains("FAILED after");
    assertNothingIsLeft();
  }

  @Test
  void failsWhenParityIsNotThatOfTheCodec() throws IOException {
    int status = run(Arrays.asList("rs_java", ForeignCodeFactory.CODER_NAME));

    assertThat(status).as("%s", said).isEqualTo(ExitStatus.FAILED);
    assertThat(report.failure).contains("Wrong bytes");
    assertNothingIsLeft();
  }

  @Test
  void refusesDirectoryWithFilesOfOthers() throws IOException {
    Files.write(directory.resolve("precious"), new byte[1]);

    int status = run(Arrays.asList("rs_java"));

    assertThat(status).isEqualTo(ExitStatus.UNCHECKED);
    assertThat(report.failure).isEqualTo("Cannot use " + directory + ": it is not empty");
    assertThat(directory.resolve("precious")).exists();
  }

  private int run(List<String> coders) {
    // Without the native library pure Java takes over; that it does so is another test's concern.
    String before = System.getProperty("stripeline.native.enabled");
    if (!CoderStatus.current().isNative()) {
      System.setProperty("stripeline.native.enabled", "false");
    }
    try {
      StripeShape shape = StripeShape.ofPolicy(POLICY);
      DemoSettings settings =
          new DemoSettings(shape, coders, DemoSettings.LEAST_BYTES, null, 1);
      Progress progress =
          new Progress(new PrintStream(said), Progress.Style.LINES, System::nanoTime);
      return new DemoRunner(settings, progress, report).run(directory, Workplace.AtEnd.DELETE);
    } finally {
      if (before == null) {
        System.clearProperty("stripeline.native.enabled");
      } else {
        System.setProperty("stripeline.native.enabled", before);
      }
    }
  }

  private void assertNothingIsLeft() throws IOException {
    assertThat(directory).isEmptyDirectory();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      List<String> left =
          processes
              .filter(path -> path.getFileName().toString().matches("\\d+"))
              .map(DemoRunnerTest::commandLine)
              .filter(line -> line.contains(directory.toString()))
              .collect(Collectors.toList());
      assertThat(left).isEmpty();
    }
  }

  private static String commandLine(Path process) {
    try {
      return Files.readString(process.resolve("cmdline"));
    } catch (IOException gone) {
      return "";
    }
  }
}
