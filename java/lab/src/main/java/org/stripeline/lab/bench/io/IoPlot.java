// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stripeline.lab.bench.cluster.ShapedNetwork;
import org.stripeline.terminal.Plot;

/**
 * Draws rows: bars for each policy and number of threads on the loopback, and lines over the link
 * rate for each operation on a shaped network, with a reference line for fully used links.
 */
final class IoPlot {
  private IoPlot() {}

  static String of(List<IoReport.Row> rows) {
    Plot plot =
        new Plot(
            Arrays.stream(IoContestant.values()).map(IoContestant::label).toArray(String[]::new));
    List<IoReport.Row> sorted = new ArrayList<>(rows);
    sorted.sort(
        Comparator.comparing((IoReport.Row row) -> IoContestant.parse(row.contestant))
            .thenComparing(row -> row.linkMbit));
    Map<String, Plot.Panel> panels = new HashMap<>();
    for (IoReport.Row row : sorted) {
      boolean isLoopback = row.linkMbit == IoSettings.LOOPBACK;
      String title =
          isLoopback
              ? IoTable.title(row)
              : row.operation + ", " + row.policy + ", " + row.threads + " threads";
      Plot.Panel panel =
          panels.computeIfAbsent(
              title + ": MiB/s of user data, median, minimum and maximum",
              key -> plot.panel(key, "MiB/s", "link rate, Mbit/s"));
      if (isLoopback) {
        panel.bar(
            row.operation,
            row.contestant,
            row.mibPerSecond.median,
            row.mibPerSecond.min,
            row.mibPerSecond.max,
            null);
      } else {
        panel.point(row.contestant, row.linkMbit, row.mibPerSecond.median);
        int links = Integer.parseInt(row.policy.split("-")[1]);
        panel.reference("all data links saturated", links * ShapedNetwork.MIB_PER_MBIT);
      }
    }
    return plot.render();
  }
}
