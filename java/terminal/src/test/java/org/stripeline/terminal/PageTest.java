// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

class PageTest {
  private final Page page = new Page("Sizes & <more>");

  private static void show(Sheet sheet) {
    sheet.line("a line");
    sheet.line("\nWARNING: too <small>");
    sheet.line("");
    sheet.table(new TextTable("a", "b").row("1 & 2", "3"));
    sheet.table(new TextTable("unseen"));
  }

  @Test
  void aReportIsShownAsTextAndAsAPage() {
    assertThat(Sheet.text(PageTest::show))
        .isEqualTo("a line\n\nWARNING: too <small>\n\n\na      b\n--------\n1 & 2  3\n");
    show(page);
    String html = page.render();
    assertThat(html)
        .startsWith("<!DOCTYPE html>")
        .contains("<title>Sizes &amp; &lt;more&gt;</title>")
        .contains("<p>a line</p><p class=\"failed\">WARNING: too &lt;small&gt;</p><div")
        .contains("<tr><td>1 &amp; 2</td><td>3</td></tr>")
        .doesNotContain("unseen");
    assertThat(html.split("<table>")).hasSize(2);
  }

  @Test
  void plotsUseTheColoursOfThePage() {
    Plot plot = new Plot("a");
    plot.panel("bars", "s", "").bar("a very long name of a group <1>", "a", 2, 1, 3, null);
    plot.panel("empty", "s", "");
    String html = page.plots(Collections.singletonList(plot)).render();
    assertThat(html)
        .contains("fill=\"currentColor\"", "a very long name of a group &lt;1&gt;")
        .doesNotContain("empty", "black");
  }

  /** Whose x axis begins at 70 and is 430 wide. */
  @Test
  void linesFromBeforeTheOriginLieInsideOfThePlot() {
    Plot plot = new Plot("few", "many", "origin");
    Plot.Panel few = plot.panel("few", "s", "s");
    few.point("few", -2, 1);
    few.point("few", 8, 1);
    Plot.Panel before = plot.panel("before the origin", "s", "s");
    before.point("before", -4, 1);
    Plot.Panel many = plot.panel("many", "s", "s");
    for (int x = -8; x <= 15; x++) {
      many.point("many", x, 1);
    }
    plot.panel("origin", "s", "s").point("origin", 0, 1);
    assertThat(plot.legendBelow().render())
        .contains("points=\"70.0,", "<circle cx=\"500.0\"", ">-2</text>", ">-4</text>")
        // Ticks from -10 to 15 on an axis of 430.
        .contains("points=\"104.4,", ">-10</text>")
        .doesNotContain("NaN", "Infinity", "\"-");
  }

  @Test
  void aFileThatCannotBeWrittenIsRefusedBeforehand(@TempDir Path directory) throws Exception {
    CommandLine line = new CommandLine(CommandSpec.create());
    Page.requireWritable(line, "--html", directory.resolve("page.html"));
    Path none = directory.resolve("none");
    assertThatThrownBy(() -> Page.requireWritable(line, "--html", directory))
        .isInstanceOf(ParameterException.class)
        .hasMessage("Cannot write --html=" + directory + ": it is a directory");
    assertThatThrownBy(() -> Page.requireWritable(line, "--html", none.resolve("page.html")))
        .isInstanceOf(ParameterException.class)
        .hasMessageEndingWith("page.html: " + none + " is not a writable directory");

    Path there = Files.createFile(Files.createDirectory(none).resolve("page.html"));
    // As /dev/stdout for those who may not create files in /dev; root may, also here.
    assertThat(none.toFile().setWritable(false)).isTrue();
    Page.requireWritable(line, "--html", there);
    assertThat(none.toFile().setWritable(true)).isTrue();
  }
}
