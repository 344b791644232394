// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Shows pages in Debian's Chromium. */
public final class PageBrowser implements AutoCloseable {
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final int HEIGHT = 900;

  /** In pixels: those of a telephone and of a large screen. */
  private static final int[] WIDTHS = {400, 1600};

  /** Parts that have a bar for scrolling of their own do not count. */
  private static final String WIDE =
      "if (document.documentElement.scrollWidth <= innerWidth) return null;"
          + "const wide = [...document.querySelectorAll('body *')].filter(one =>"
          + " one.closest('.wide') === null && one.getBoundingClientRect().right > innerWidth);"
          + "return wide.length === 0 ? 'the page' : wide.pop().outerHTML.slice(0, 200)";

  private static final String PLOTS_ARE_WHOLE =
      "return [...document.querySelectorAll('svg')].every(svg => {"
          + "const all = svg.getBoundingClientRect();"
          + "return [...svg.querySelectorAll('text, rect, polyline')].every(one => {"
          + "const box = one.getBoundingClientRect();"
          + "return box.left >= all.left - 1 && box.right <= all.right + 1"
          + " && box.top >= all.top - 1 && box.bottom <= all.bottom + 1 }) })";

  private static final String TEXTS_ARE_LARGE =
      "return [...document.querySelectorAll('svg text')].every(one =>"
          + " 12 * Math.hypot(one.getScreenCTM().a, one.getScreenCTM().b) >= 8)";

  private static final String INK =
      "const text = document.querySelector('svg text');"
          + "return text === null ? null : getComputedStyle(text).fill";

  private final boolean isDark;
  private final ChromeDriver driver;

  /**
   * Starts one.
   *
   * @param folder an empty one for its own files
   * @param isDark whether pages are to be dark
   */
  public PageBrowser(Path folder, boolean isDark) {
    this.isDark = isDark;
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
        "--user-data-dir=" + folder);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).build(),
            options);
  }

  /**
   * Returns whether this machine has the browser.
   *
   * @return false without Debian's packages chromium and chromium-driver
   */
  public static boolean isThere() {
    return Files.exists(DRIVER) && Files.exists(BROWSER);
  }

  /**
   * Shows a page in each width and colour.
   *
   * @param folder for the files of the browsers
   * @return what is wrong: errors, parts that need sideways scrolling or lie outside of plots,
   *     small texts, the wrong colour
   */
  public static List<String> faults(Path page, Path folder) {
    List<String> faults = new ArrayList<>();
    for (boolean isDark : new boolean[] {false, true}) {
      try (PageBrowser browser = new PageBrowser(folder.resolve("profile-" + isDark), isDark)) {
        browser.show(page, faults);
        faults.addAll(browser.messages());
      }
    }
    return faults;
  }

  /** Shows a page in each width, and adds what is wrong. */
  public void show(Path page, List<String> faults) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
    for (int width : WIDTHS) {
      // A window cannot be as narrow as a telephone.
      driver.executeCdpCommand(
          "Emulation.setDeviceMetricsOverride",
          Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
      driver.get(page.toUri().toString());
      String where = width + " pixels, " + (isDark ? "dark" : "light") + ": ";
      require("return innerWidth === " + width, where + "has another width", faults);
      Object wide = driver.executeScript(WIDE);
      if (wide != null) {
        faults.add(where + "needs sideways scrolling: " + wide);
      }
      require(PLOTS_ARE_WHOLE, where + "a part of a plot is outside of it", faults);
      require(TEXTS_ARE_LARGE, where + "a text of a plot is less than 8 pixels high", faults);
      String ink = (String) driver.executeScript(INK);
      if (ink != null && !ink.contains(isDark ? "230, 230, 230" : "27, 27, 27")) {
        faults.add(where + "texts of plots have the colour " + ink);
      }
    }
  }

  /**
   * Returns what pages have written to the console since the last call.
   *
   * @return errors, warnings and other messages
   */
  public List<String> messages() {
    List<String> messages = new ArrayList<>();
    driver.manage().logs().get(LogType.BROWSER).forEach(entry -> messages.add(entry.toString()));
    return messages;
  }

  private void require(String script, String fault, List<String> faults) {
    if (!Boolean.TRUE.equals(driver.executeScript(script))) {
      faults.add(fault);
    }
  }

  /**
   * Returns the driver, for what a page should have.
   *
   * @return that of this browser
   */
  public ChromeDriver driver() {
    return driver;
  }

  @Override
  public void close() {
    driver.quit();
  }
}
