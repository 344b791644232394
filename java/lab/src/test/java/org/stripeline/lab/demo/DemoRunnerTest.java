// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.io.erasurecode.rawcoder.ForeignCodeFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.LyingDecoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stripeline.lab.bench.io.IoSettings;
import org.stripeline.lab.cluster.WorkDirectory;
import org.stripeline.natives.codec.CoderStatus;
import org.stripeline.terminal.ExitStatus;
import org.stripeline.terminal.Progress;
import org.stripeline.testkit.Leftovers;

/**
 * Runs the whole demo with small sizes on a real cluster, and with a faulty coder that it must
 * detect.
 */
@Timeout(400)
class DemoRunnerTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final DemoReport report = new DemoReport();

  @TempDir Path directory;

  @Test
  void passesAndDeletesItsFiles() throws IOException {
    int status = run(runner(DemoCommand.coder()));

    assertThat(report.failure).as("%s", said).isNull();
    assertThat(status).isEqualTo(ExitStatus.SOUND);
    assertThat(report.passed).isTrue();
    assertThat(report.rows)
        .extracting(row -> row.act + " " + row.brief)
        .containsExactly(
            "1 wrong", "2 write", "2 read", "2 read, 2 dead", "3 convert", "3 moved", "4 rebuild");
    DemoReport.Row wrong = report.rows.get(0);
    assertThat(wrong.ours.max).isZero();
    // StockWrongBytesTest has the minimum for the Hadoop release of this build.
    assertThat(wrong.stock.median).isGreaterThan(1 << 20);
    DemoReport.Row moved = report.rows.get(5);
    assertThat(moved.ours.median).isPositive().isLessThan(moved.stock.median);
    assertThat(report.rows)
        .filteredOn(row -> row.unit == DemoReport.Unit.MIB_PER_SECOND)
        .allSatisfy(
            row -> {
              assertThat(row.ours.median).isPositive();
              assertThat(row.stock.median).isPositive();
            });
    assertThat(report.checks)
        .anyMatch(
            check -> check.startsWith("1: Hadoop's client returned ") && check.contains("wrong"))
        .anyMatch(check -> check.startsWith("3: converted under its path"))
        .anyMatch(check -> check.startsWith("4: hdfs fsck: HEALTHY; hdfs debug verifyEC: 1 of 1"));
    assertThat(report.render()).contains("PASSED in");
    assertThat(new DemoPage(report).page().render()).contains("PASSED in").contains("</svg>");
    Leftovers.assertNone(directory);
  }

  @Test
  void failsWhenOneDecodedBitIsWrong() throws IOException {
    int status = run(runner(LyingDecoderFactory.CODER_NAME));

    assertThat(status).as("%s", said).isEqualTo(ExitStatus.FAILED);
    assertThat(report.passed).isFalse();
    assertThat(report.failure).startsWith("Wrong bytes: a read of ");
    assertThat(report.render()).contains("FAILED after");
    Leftovers.assertNone(directory);
  }

  @Test
  void failsWhenParityIsNotThatOfTheCodec() throws IOException {
    int status =
        run(
            new DemoRunner(settings(ForeignCodeFactory.CODER_NAME), progress(), report) {
              @Override
              List<Act> acts(Stage stage) {
                return Collections.singletonList(new RebuildAct(stage));
              }
            });

    assertThat(status).as("%s", said).isEqualTo(ExitStatus.FAILED);
    assertThat(report.failure).startsWith("Wrong bytes in block ").contains("SHA-256 is");
    Leftovers.assertNone(directory);
  }

  @Test
  void refusesDirectoryWithFilesOfOthers() throws IOException {
    Files.write(directory.resolve("precious"), new byte[1]);

    int status = run(runner(DemoCommand.coder()));

    assertThat(status).isEqualTo(ExitStatus.USAGE);
    assertThat(report.failure)
        .isEqualTo("Cannot use " + directory + ": it is not empty; name an empty or new directory");
    assertThat(directory.resolve("precious")).exists();
  }

  private DemoRunner runner(String coder) {
    return new DemoRunner(settings(coder), progress(), report);
  }

  private static DemoSettings settings(String coder) {
    return new DemoSettings(
        IoSettings.policy("RS-3-2-1024k"), DemoSettings.LEAST_BYTES, 1, true, coder);
  }

  private Progress progress() {
    return new Progress(new PrintWriter(said), Progress.Style.LINES, System::nanoTime);
  }

  private int run(DemoRunner runner) {
    // Without the native library the Java coder is used; another test covers that fallback.
    String before = System.getProperty("stripeline.native.enabled");
    if (!CoderStatus.current().isNative()) {
      System.setProperty("stripeline.native.enabled", "false");
    }
    try {
      return runner.run(directory, WorkDirectory.AtEnd.DELETE);
    } finally {
      if (before == null) {
        System.clearProperty("stripeline.native.enabled");
      } else {
        System.setProperty("stripeline.native.enabled", before);
      }
    }
  }
}
