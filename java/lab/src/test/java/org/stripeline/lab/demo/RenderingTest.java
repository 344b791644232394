// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.Spread;
import org.stripeline.terminal.TextTable;

/** Tests text output: tables, sizes, the report and its page. */
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
  void sizesAreReadWithUnits() {
    assertThat(ByteSize.parse("256MiB").bytes()).isEqualTo(256L << 20);
    assertThat(ByteSize.parse(" 1 g").bytes()).isEqualTo(1L << 30);
    assertThat(ByteSize.parse("64kB").bytes()).isEqualTo(64L << 10);
    assertThat(ByteSize.parse("12345").bytes()).isEqualTo(12345);
    for (String bad : new String[] {"", "x", "-1", "1.5GiB", "1PiB", "99999999999G"}) {
      assertThatThrownBy(() -> ByteSize.parse(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Cannot read size '" + bad + "'");
    }
  }

  @Test
  void reportContainsTheResults() {
    DemoReport report = new DemoReport();
    report.policy = "RS-6-3-1024k";
    report.storage = "memory";
    report.bytes = 1 << 20;
    report.add(
        new DemoReport.Row(
            2,
            "write",
            "write",
            DemoReport.Unit.MIB_PER_SECOND,
            of(900, 1000),
            of(300, 320),
            of(95.25)));
    report.add(
        new DemoReport.Row(
            3, "moved & kept", "moved", DemoReport.Unit.BYTES, of(1_000_000), of(3_000_000), null));
    report.check("3: %d files < all", 7);
    report.failure = "Wrong bytes in block 7";

    assertThat(report.render())
        .contains("2  write         MiB/s         950             310        95.3          3.06x")
        .contains("3  moved & kept  bytes   1,000,000       3,000,000           -          3.00x")
        .contains("3: 7 files < all")
        .endsWith("FAILED after 0 s: Wrong bytes in block 7\n");
    String page = new DemoPage(report).page().render();
    assertThat(page)
        .contains("<p class=\"failed\">FAILED after 0 s: Wrong bytes in block 7</p>")
        .contains("<td>3  moved &amp; kept</td>")
        .contains("<li>3: 7 files &lt; all</li>")
        .contains("write Stripeline: 950 MiB/s<")
        .contains("moved stock, rs_java: 2.861 MiB<");
    assertThat(page.split("<svg ")).hasSize(3);
    report.passed = true;
    assertThat(report.render()).endsWith("PASSED in 0 s\n");
  }

  private static Spread of(double... values) {
    return Spread.of(Arrays.asList(Arrays.stream(values).boxed().toArray(Double[]::new)), v -> v);
  }

  @Test
  void reportOfARunThatDidNotStartIsShort() {
    DemoReport report = new DemoReport();
    report.failure = "Cannot start cluster: no room";

    assertThat(report.render()).isEqualTo("Could not run: Cannot start cluster: no room\n");
  }
}
