// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.stripeline.terminal.Spread;
import org.stripeline.testkit.PageBrowser;

/** Opens the page of an evaluation in a browser, Debian's Chromium. */
@Tag("full")
@Timeout(180)
class EvaluationPageTest {
  @TempDir Path directory;

  private static Spread spread(double... values) {
    return Spread.of(Arrays.stream(values).boxed().collect(Collectors.toList()));
  }

  private static EvaluationReport report() {
    EvaluationReport report = new EvaluationReport();
    report.commit = "0a1b";
    report.versions.put("Spark", "4.0.1");
    EvaluationReport.Section section =
        new EvaluationReport.Section("clients", "Clients <by> pipeline", "A document & more");
    report.sections.add(section);
    Measurement measurement = Measurement.of("io", 1, "bench io");
    EvaluationReport.Figure figure =
        section.figure("Figures 3 to 7", "They differ because of <this>.", measurement);
    EvaluationReport.Panel bars = figure.panel("bars", "MiB/s", null);
    EvaluationReport.Panel lines = figure.panel("lines", "GB/s", "threads");
    for (int series = 0; series < 10; series++) {
      for (String operation : List.of("write", "read", "read-dead1", "read-dead2", "read-dead3")) {
        bars.bar("contestant-" + series, operation, spread(series + 1, 2 * series + 3), null);
      }
      lines.point("contestant-" + series, 1, spread(series));
      lines.point("contestant-" + series, 40, spread(10.0 * series));
    }
    for (double value : new double[] {9, 100, 30}) {
      figure.compare("ratio of " + value, "up to 3", value, "x");
    }
    EvaluationReport.Run run = new EvaluationReport.Run();
    run.leftOut = "Cannot measure: no root";
    run.notes.add("parity not <checked>");
    section.runs.add(run);
    return report;
  }

  @Test
  void thePageIsDrawnWithoutErrorsInEachWidthAndColour() throws Exception {
    assumeTrue(PageBrowser.isThere(), "no Chromium");
    Path page = directory.resolve("report.html");
    new EvaluationPage(report()).page().write(page);
    for (boolean isDark : new boolean[] {false, true}) {
      try (PageBrowser browser = new PageBrowser(directory.resolve("profile-" + isDark), isDark)) {
        List<String> faults = new ArrayList<>();
        browser.show(page, faults);
        assertThat(faults).isEmpty();
        check(browser.driver());
        sort(browser.driver());
        assertThat(browser.messages()).isEmpty();
      }
    }
  }

  @Test
  void faultsOfAPageAreFound() throws Exception {
    assumeTrue(PageBrowser.isThere(), "no Chromium");
    Path page = directory.resolve("wide.html");
    Files.writeString(
        page,
        "<body style='margin:0'><div style='width:3000px'>wide</div>"
            + "<svg width=50 height=50 viewBox='0 0 100 100'>"
            + "<text x=90 y=20>outside</text></svg><script>undefined.a</script>");
    assertThat(String.join("\n", PageBrowser.faults(page, directory)))
        .contains("400 pixels, light: needs sideways scrolling")
        .contains("1600 pixels, dark: a part of a plot is outside of it")
        .contains("less than 8 pixels high", "have the colour", "Uncaught TypeError");
  }

  private static void check(ChromeDriver browser) {
    assertThat(browser.getTitle()).isEqualTo("Stripeline evaluation");
    assertThat(browser.findElement(By.tagName("body")).getText())
        .contains("Clients <by> pipeline", "A document & more", "Cannot measure: no root")
        .contains("Note: parity not <checked>", "commit 0a1b", "Spark 4.0.1");
    List<WebElement> plots = browser.findElements(By.tagName("svg"));
    assertThat(plots).hasSize(2);
    assertThat(plots.get(0).findElements(By.cssSelector("rect:has(title)"))).hasSize(50);
    assertThat(plots.get(1).findElements(By.tagName("polyline"))).hasSize(10);
  }

  /** Sorts by the measured value, by number, downwards with the second click. */
  private static void sort(ChromeDriver browser) {
    WebElement table = browser.findElements(By.tagName("table")).get(1);
    WebElement heading = table.findElements(By.cssSelector("th button")).get(2);
    heading.click();
    assertThat(column(table)).containsExactly("9.00", "30.0", "100");
    heading.click();
    assertThat(column(table)).containsExactly("100", "30.0", "9.00");
  }

  private static List<String> column(WebElement table) {
    return table.findElements(By.cssSelector("tbody td:nth-child(3)")).stream()
        .map(WebElement::getText)
        .collect(Collectors.toList());
  }
}
