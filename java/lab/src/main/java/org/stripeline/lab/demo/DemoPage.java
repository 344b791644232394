// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.Plot;
import org.stripeline.terminal.Spread;

/** Formats the report as one self-contained HTML page: acts, table, plots as SVG. */
final class DemoPage {
  private static final String[] SERIES = {"Stripeline", "stock, rs_java", "4 replicas"};

  private static final String[] ACTS = {
    "One bit of a block changes on a disk. A large positional read by Hadoop's client can then"
        + " return decoded cells in the wrong places, without an error; ours must return the right"
        + " bytes.",
    "Files are written and read by our pipelines, by Hadoop's with its Java coder, and as four"
        + " replicas, which tolerate as many lost DataNodes as RS-6-3. Then DataNodes are stopped.",
    "A tree of files with three replicas is converted in place: one replica of each block stays,"
        + " and only parity is written. Hadoop needs a copy.",
    "DataNodes lose their disks and restart empty; HDFS rebuilds their blocks with our coder and"
        + " with rs_java. Hadoop's own checkers and both clients verify the result.",
  };

  private final DemoReport report;

  DemoPage(DemoReport report) {
    this.report = report;
  }

  void write(Path file) throws IOException {
    Files.write(file, render().getBytes(StandardCharsets.UTF_8));
  }

  String render() {
    StringBuilder page = new StringBuilder();
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<title>Stripeline demo</title><style>\n")
        .append("body{font-family:sans-serif;max-width:1120px;margin:2em auto;padding:0 1em}\n")
        .append("table{border-collapse:collapse}td,th{padding:.3em .8em;text-align:right;")
        .append("border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}\n")
        .append("svg{max-width:100%;height:auto}.failed{color:#b00}\n</style></head><body>\n");
    element(page, "h1", "Stripeline demo");
    element(page, "p", report.title());
    element(page, "p", report.method());
    element(page, report.passed ? "p" : "p class=\"failed\"", report.outcome());
    page.append("<table>\n");
    row(page, "th", DemoReport.headings());
    report.cells().forEach(cells -> row(page, "td", cells));
    page.append("</table>\n");
    for (int act = 1; act <= ACTS.length; act++) {
      element(page, "h2", "Act " + act);
      element(page, "p", ACTS[act - 1]);
      plot(page, act, DemoReport.Unit.MIB_PER_SECOND, "MiB/s", 1);
      plot(page, act, DemoReport.Unit.BYTES, "MiB", ByteSize.MIB);
    }
    element(page, "h2", "Verified");
    page.append("<ul>\n");
    report.checks.forEach(check -> element(page, "li", check));
    return page.append("</ul>\n</body></html>\n").toString();
  }

  private void plot(
      StringBuilder page, int act, DemoReport.Unit unit, String shown, double divisor) {
    Plot plot = new Plot(SERIES);
    Plot.Panel panel = plot.panel(shown + ", median, minimum and maximum", shown, "");
    boolean isEmpty = true;
    for (DemoReport.Row row : report.rows) {
      Spread[] values = {row.ours, row.stock, row.replication};
      for (int i = 0; i < values.length && row.act == act && row.unit == unit; i++) {
        Spread value = values[i];
        if (value != null) {
          isEmpty = false;
          panel.bar(
              row.brief,
              SERIES[i],
              value.median / divisor,
              value.min / divisor,
              value.max / divisor,
              null);
        }
      }
    }
    if (!isEmpty) {
      page.append(plot.render());
    }
  }

  private static void row(StringBuilder page, String cell, String[] texts) {
    page.append("<tr>");
    for (String text : texts) {
      element(page, cell, text);
    }
    page.append("</tr>\n");
  }

  private static void element(StringBuilder page, String tag, String text) {
    String name = tag.split(" ", 2)[0];
    page.append('<').append(tag).append('>').append(escape(text));
    page.append("</").append(name).append(">\n");
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
