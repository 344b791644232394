// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.terminal.Progress;

/** Tests the progress of a job, with a simulated clock. */
class ProgressTextTest {
  private static final long FILE = 100L << 20;

  private final StringWriter out = new StringWriter();
  private final AtomicLong nanos = new AtomicLong();
  private final ProgressText text =
      new ProgressText(
          new Progress(new PrintWriter(out), Progress.Style.LINES, nanos::get), JobObserver.NONE);

  private void begin(int files) {
    Totals totals = new Totals();
    totals.files = files;
    totals.bytes = files * FILE;
    text.begin(totals);
  }

  private void at(int seconds) {
    nanos.set(TimeUnit.SECONDS.toNanos(seconds));
  }

  private void convert(String path) {
    text.advanced(FILE);
    text.ended(path, FILE, FileOutcome.converted(FILE));
  }

  @Test
  void advancesWithinAFile() {
    begin(1);
    at(10);
    text.advanced(FILE / 4);
    at(15);
    text.ticked(false);
    at(25);
    text.ticked(false);

    assertThat(out.toString().split("\\R"))
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).contains(" 25 % ", "2.5 MiB/s, 0:30 left", "0 of 1 file"),
            line -> assertThat(line).contains(" 25 % ", "1.0 MiB/s, 1:15 left", "25.0 MiB of 100"));
  }

  @Test
  void bytesOfAFileThatFailsAreTakenBackButTookTime() {
    begin(4);
    at(5);
    convert("/a");
    text.advanced(FILE);
    at(10);
    text.advanced(-FILE);
    text.ended("/b", FILE, FileOutcome.failed("checksums differ"));

    // 200 MiB were worked on in 10 s, and 200 MiB are left.
    text.ticked(false);
    at(20);
    text.ticked(false);
    assertThat(out.toString().split("\\R"))
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).contains(" 20.0 MiB/s, 0:15 left"),
            line ->
                assertThat(line)
                    .contains(" 33 % ", "10.0 MiB/s, 0:20 left  100 MiB of 300 MiB")
                    .contains("2 of 4 files, 1 not converted"));
  }

  @Test
  void pausesDoNotCountForTheRate() {
    begin(2);
    at(10);
    convert("/a");
    text.ticked(false);
    at(1_000);
    text.ticked(true);
    at(1_010);
    text.ticked(false);

    assertThat(out.toString().trim().split("\\R"))
        .satisfiesExactly(
            line -> assertThat(line).contains("0:10 left"),
            line -> assertThat(line).contains("10.0 MiB/s, 0:10 left  paused; 100 MiB of 200"),
            line -> assertThat(line).contains(" 5.0 MiB/s, 0:20 left  100 MiB of 200 MiB"));
  }

  @Test
  void filesThatFailNeedNoMoreTime() {
    begin(4);
    at(5);
    convert("/a");
    text.ended("/b", FILE, FileOutcome.failed("it is open"));
    at(10);
    text.ended("/c", FILE, FileOutcome.changed("a user changed it"));

    assertThat(out.toString())
        .contains(" 50 %     10.0 MiB/s, 0:10 left  100 MiB of 200 MiB, 3 of 4 files, 2 not");
  }

  @Test
  void filesOfAnEarlierDriverDoNotCount() {
    text.ended("/old", 0, FileOutcome.converted(FILE));
    begin(2);
    at(10);
    convert("/a");
    text.succeeded();
    text.close();

    assertThat(out.toString().split("\\R"))
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("10.0 MiB/s", "of 2 files"));
  }

  @Test
  void looksAtFilesInPassing() {
    text.looked();
    at(20);
    text.looked();
    text.close();

    assertThat(out.toString().trim()).matches("\\[ 20.0s\\] look at files +2 files, 0/s");
  }
}
