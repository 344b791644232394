// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.stripeline.terminal.Spread;

/** Opens the page of an evaluation in a browser, Debian's Chromium. */
@Tag("full")
@Timeout(180)
class EvaluationPageTest {
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Path BROWSER = Path.of("/usr/bin/chromium");

  @TempDir Path directory;

  private static Spread spread(double... values) {
    return Spread.of(Arrays.stream(values).boxed().collect(Collectors.toList()));
  }

  private static EvaluationReport report() {
    EvaluationReport report = new EvaluationReport();
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
    assumeTrue(Files.exists(DRIVER) && Files.exists(BROWSER), "no Chromium");
    Path page = directory.resolve("report.html");
    new EvaluationPage(report()).page().write(page);
    for (boolean isDark : new boolean[] {false, true}) {
      ChromeDriver browser = open(isDark);
      try {
        for (int width : new int[] {400, 1600}) {
          browser.manage().window().setSize(new Dimension(width, 900));
          browser.get(page.toUri().toString());
          check(browser, isDark);
        }
        sort(browser);
        assertThat(browser.manage().logs().get(LogType.BROWSER).getAll()).isEmpty();
      } finally {
        browser.quit();
      }
    }
  }

  private ChromeDriver open(boolean isDark) {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BROWSER.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--user-data-dir=" + directory.resolve("profile-" + isDark));
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriver browser =
        new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build(),
            options);
    browser.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    return browser;
  }

  private static void check(ChromeDriver browser, boolean isDark) {
    assertThat(browser.getTitle()).isEqualTo("Stripeline evaluation");
    assertThat(browser.findElement(By.tagName("body")).getText())
        .contains("Clients <by> pipeline", "A document & more", "Cannot measure: no root")
        .contains("Note: parity not <checked>");
    assertThat(browser.executeScript("return document.documentElement.scrollWidth <= innerWidth"))
        .as("nothing needs sideways scrolling")
        .isEqualTo(true);
    List<WebElement> plots = browser.findElements(By.tagName("svg"));
    assertThat(plots).hasSize(2);
    assertThat(plots.get(0).findElements(By.cssSelector("rect:has(title)"))).hasSize(50);
    assertThat(plots.get(1).findElements(By.tagName("polyline"))).hasSize(10);
    Object isInside =
        browser.executeScript(
            "return [...document.querySelectorAll('svg')].every(svg => {"
                + "const all = svg.getBoundingClientRect();"
                + "return [...svg.querySelectorAll('text, rect, polyline')].every(one => {"
                + "const box = one.getBoundingClientRect();"
                + "return box.left >= all.left - 1 && box.right <= all.right + 1"
                + " && box.bottom <= all.bottom + 1 }) })");
    assertThat(isInside).as("every part of a plot is inside of it").isEqualTo(true);
    Object smallest =
        browser.executeScript(
            "return Math.min(...[...document.querySelectorAll('svg text')].map(one =>"
                + " 12 * one.getScreenCTM().d))");
    assertThat(((Number) smallest).doubleValue()).as("font size").isGreaterThanOrEqualTo(8);
    String ink = browser.findElement(By.cssSelector("svg text")).getCssValue("fill");
    assertThat(ink).contains(isDark ? "230, 230, 230" : "27, 27, 27");
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
