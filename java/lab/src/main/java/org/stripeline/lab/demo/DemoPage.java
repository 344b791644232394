// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.util.ArrayList;
import java.util.List;
import org.stripeline.terminal.ByteSize;
import org.stripeline.terminal.Page;
import org.stripeline.terminal.Plot;
import org.stripeline.terminal.Spread;
import org.stripeline.terminal.TextTable;

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

  Page page() {
    Page page = new Page("Stripeline demo");
    page.paragraph(report.title()).paragraph(report.method());
    if (report.passed) {
      page.paragraph(report.outcome());
    } else {
      page.failure(report.outcome());
    }
    TextTable table = new TextTable(DemoReport.headings());
    report.cells().forEach(table::row);
    page.table(table);
    for (int act = 1; act <= ACTS.length; act++) {
      page.section("act-" + act, "Act " + act).paragraph(ACTS[act - 1]);
      List<Plot> plots = new ArrayList<>();
      plot(plots, act, DemoReport.Unit.MIB_PER_SECOND, "MiB/s", 1);
      plot(plots, act, DemoReport.Unit.BYTES, "MiB", ByteSize.MIB);
      page.plots(plots);
    }
    return page.section("verified", "Verified").list(report.checks);
  }

  private void plot(List<Plot> plots, int act, DemoReport.Unit unit, String shown, double divisor) {
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
      plots.add(plot);
    }
  }
}
