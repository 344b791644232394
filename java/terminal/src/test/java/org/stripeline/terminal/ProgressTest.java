// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The output of steps in logs and on terminals, with a simulated clock. */
class ProgressTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final AtomicLong nanos = new AtomicLong();

  @Test
  void inLogsItIsOneLineEachTenSeconds() {
    Progress progress = new Progress(new PrintWriter(out), Progress.Style.LINES, nanos::get);
    try (Progress.Step step = progress.step("write", 100L << 20)) {
      nanos.set(1_000_000_000L);
      step.advance(10L << 20);
      nanos.set(10_000_000_000L);
      step.advance(40L << 20);
      nanos.set(20_000_000_000L);
      step.succeeded();
    }
    try (Progress.Step step = progress.step("read", 0)) {
      step.note("no such block");
    }
    try (Progress.Step step = progress.step("convert", 0)) {
      step.ended("left out");
    }

    assertThat(out.toString().split("\\R"))
        .containsExactly(
            "[ 10.0s] write                               50 %      5.0 MiB/s, 0:10 left",
            "[ 20.0s] write                                   2.5 MiB/s   20.0 s",
            "[ 20.0s] read                                no such block  FAILED",
            "[ 20.0s] convert                             left out");
  }

  @Test
  void onTerminalsItIsABarInOneLine() {
    Progress progress = new Progress(new PrintWriter(out), Progress.Style.TERMINAL, nanos::get);
    try (Progress.Step step = progress.step("write", 400L << 20)) {
      nanos.set(30_000_000_000L);
      step.advance(100L << 20);
      step.succeeded();
    }

    assertThat(out.toString())
        .startsWith("\r")
        .contains("[#####---------------]  25 %      3.3 MiB/s, 1:30 left")
        .endsWith(System.lineSeparator());
    assertThat(out.toString().split("\n")).hasSize(1);
  }

  @Test
  void whatIsLeftOutIsNotWaitedFor() {
    Progress progress = new Progress(new PrintWriter(out), Progress.Style.LINES, nanos::get);
    try (Progress.Step step = progress.step("convert", 400L << 20)) {
      nanos.set(1_000_000_000L);
      step.advance(100L << 20);
      nanos.set(10_000_000_000L);
      step.leaveOut(200L << 20, "1 failed");
      step.succeeded();
    }

    assertThat(out.toString()).contains(" 50 %     10.0 MiB/s, 0:10 left  1 failed");
  }

  @Test
  void stepsInPassingPrintNoResult() {
    Progress progress = new Progress(new PrintWriter(out), Progress.Style.LINES, nanos::get);
    try (Progress.Step step = progress.passing("plan", 0, Progress.Unit.FILES)) {
      nanos.set(1_000_000_000L);
      step.advance(100);
    }
    assertThat(out.toString()).isEmpty();

    try (Progress.Step step = progress.passing("plan", 0, Progress.Unit.FILES)) {
      nanos.set(12_000_000_000L);
      step.advance(33);
    }
    assertThat(out.toString().trim()).matches("\\[ 12.0s\\] plan +33 files, 3/s");
  }
}
