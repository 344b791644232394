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

  @Test
  void filesThatFailNeedNoMoreTime() {
    begin(4);
    at(5);
    text.ended("/a", FILE, FileOutcome.converted(FILE));
    text.ended("/b", FILE, FileOutcome.failed("it is open"));
    at(10);
    text.ended("/c", FILE, FileOutcome.changed("a user changed it"));

    assertThat(out.toString()).contains(" 50 %     10.0 MiB/s, 0:10 left  3 of 4 files, 2 not");
  }

  @Test
  void filesOfAnEarlierDriverDoNotCount() {
    text.ended("/old", 0, FileOutcome.converted(FILE));
    begin(2);
    at(10);
    text.ended("/a", FILE, FileOutcome.converted(FILE));
    text.succeeded();
    text.close();

    assertThat(out.toString().split("\\R"))
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("10.0 MiB/s", "1 of 2 files"));
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
