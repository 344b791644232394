// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.TextTable;

/** Tables, progress, sizes and figures: what people read. */
class RenderingTest {

  @Test
  void tableAlignsItsColumns() {
    TextTable table = new TextTable("step", "MiB/s", "note");
    table.row("write", "1234.5").row("read, degraded", "7.0", "x");

    assertThat(table.render())
        .isEqualTo(
            "step             MiB/s  note\n"
                + "----------------------------\n"
                + "write           1234.5\n"
                + "read, degraded     7.0     x\n");
  }

  @Test
  void tableRefusesTooManyCells() {
    TextTable table = new TextTable("a", "b");

    assertThatThrownBy(() -> table.row("1", "2", "3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot add row: 3 cells for 2 columns");
  }

  @Test
  void progressInLogsIsOneLineEachTenSeconds() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AtomicLong nanos = new AtomicLong();
    Progress progress = new Progress(new PrintStream(out), Progress.Style.LINES, nanos::get);
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

    assertThat(out.toString().split("\\R"))
        .containsExactly(
            "[ 10.0s] write                                           50 %      5.0 MiB/s",
            "[ 20.0s] write                                               2.5 MiB/s   20.0 s",
            "[ 20.0s] read                                            no such block  FAILED");
  }

  @Test
  void progressOnTerminalsRewritesItsLine() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    AtomicLong nanos = new AtomicLong();
    Progress progress = new Progress(new PrintStream(out), Progress.Style.TERMINAL, nanos::get);
    try (Progress.Step step = progress.step("write", 4)) {
      nanos.set(300_000_000L);
      step.advance(1);
      step.succeeded();
    }

    assertThat(out.toString()).startsWith("\r").contains("25 %").endsWith(System.lineSeparator());
    assertThat(out.toString().split("\n")).hasSize(1);
  }

  @Test
  void sizesAreReadAsPeopleWriteThem() {
    assertThat(ByteSize.parse("256MiB").bytes()).isEqualTo(256L << 20);
    assertThat(ByteSize.parse(" 1 g").bytes()).isEqualTo(1L << 30);
    assertThat(ByteSize.parse("64kB").bytes()).isEqualTo(64L << 10);
    assertThat(ByteSize.parse("12345").bytes()).isEqualTo(12345);
    for (String bad : new String[] {"", "x", "-1", "1.5GiB", "1TiB", "99999999999G"}) {
      assertThatThrownBy(() -> ByteSize.parse(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Cannot read size '" + bad + "'");
    }
  }

  @Test
  void figuresAreMedians() {
    Figures figures = new Figures();
    figures.add(new Figures.Round(1L << 30, 1, 2, 3));
    figures.add(new Figures.Round(1L << 30, 4, 8, 9));
    figures.add(new Figures.Round(1L << 30, 2, 4, 6));

    assertThat(figures.mibPerSecond()).isEqualTo(512);
    assertThat(figures.clientCpuSecondsPerGib()).isEqualTo(4);
    assertThat(figures.serverCpuSecondsPerGib()).isEqualTo(6);
    assertThat(figures.spread()).containsExactly(256, 1024);
    figures.add(new Figures.Round(1L << 30, 4, 8, 9));
    assertThat(figures.mibPerSecond()).isEqualTo(384);
    assertThatThrownBy(() -> new Figures().seconds()).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void reportSaysWhatWasFound() {
    DemoReport report = new DemoReport();
    report.policy = "RS-6-3-1024k";
    report.datanodes = 9;
    report.bytes = 1 << 20;
    report.add("write", "stripeline", new Figures.Round(1 << 20, 0.5, 0.25, 0.125));
    report.add("write", "rs_java", new Figures.Round(1 << 20, 1, 0.5, 0.125));
    report.coder("stripeline").clientEncoder = "a.b.Encoder";
    report.coder("rs_java").clientEncoder = "a.b.Other";
    report.failure = "Wrong bytes in /demo/file";
    report.finish();

    assertThat(report.render())
        .contains("write  stripeline    2.0  2.00x            256.00            128.00")
        .contains("          rs_java    1.0      1            512.00")
        .contains("stripeline: client Encoder")
        .endsWith("FAILED after 0 s: Wrong bytes in /demo/file\n");
    report.passed = true;
    assertThat(report.render()).endsWith("PASSED in 0 s\n");
  }

  @Test
  void reportOfWhatNeverBeganIsShort() {
    DemoReport report = new DemoReport();
    report.failure = "Cannot start cluster: no room";
    report.finish();

    assertThat(report.render()).isEqualTo("Could not run: Cannot start cluster: no room\n");
  }
}
