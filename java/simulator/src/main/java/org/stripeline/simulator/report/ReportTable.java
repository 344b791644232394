// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.Locale;
import org.stripeline.simulator.scenario.Figure;
import org.stripeline.terminal.TextTable;

/**
 * Formats a report as a text table: a row for each variant and policy, then the values of the
 * paper.
 */
public final class ReportTable {
  /** Width of the text above the table. */
  private static final int COLUMNS = 110;

  private static final String[] HEADINGS = {
    "variant",
    "policy",
    "encode s",
    "MB/s",
    "gain %",
    "write s",
    "MB/s",
    "gain %",
    "across racks",
    "relocations",
    "rule violated",
    "digest"
  };

  private ReportTable() {}

  /** Returns the text, each line ended by a line feed. */
  public static String of(Report report) {
    StringBuilder text = new StringBuilder();
    text.append(report.title).append('\n');
    wrap(report.about, text);
    text.append("seed ")
        .append(report.seed)
        .append(", ")
        .append(report.seeds)
        .append(report.seeds == 1 ? " run" : " runs")
        .append(" each\n\n");
    text.append(results(report))
        .append(paper(report))
        .append(measured(report))
        .append(failures(report));
    return text.toString();
  }

  private static void wrap(String words, StringBuilder text) {
    int column = 0;
    for (String word : words.split(" ")) {
      if (column + word.length() > COLUMNS) {
        text.append('\n');
        column = 0;
      }
      text.append(column == 0 ? "" : " ").append(word);
      column += word.length() + 1;
    }
    text.append('\n');
  }

  private static String results(Report report) {
    TextTable table = new TextTable(HEADINGS).left(2);
    for (Report.Entry entry : report.variants) {
      Result first = entry.results.get(0);
      for (Result result : entry.results) {
        table.row(
            entry.label,
            result.policy,
            number(result.encodeSeconds, 1),
            number(result.encodeMbPerSecond, 0),
            result == first ? "" : signed(result.figure(Figure.ENCODE_GAIN_PERCENT, first)),
            number(result.writeSeconds, 2),
            number(result.writeMbPerSecond, 1),
            result == first ? "" : signed(result.figure(Figure.WRITE_GAIN_PERCENT, first)),
            number(result.figure(Figure.CROSS_RACK_BLOCKS_PER_STRIPE, first), 2),
            number(result.figure(Figure.RELOCATIONS_PER_STRIPE, first), 2),
            number(100 * result.mean(run -> run.rulesBrokenShare), 1) + " %",
            result.digest);
      }
    }
    return table.render();
  }

  private static String paper(Report report) {
    TextTable table =
        new TextTable("against the paper", "policy", "figure", "ours", "paper", "").left(2);
    for (Report.Entry entry : report.variants) {
      for (Report.Comparison comparison : entry.comparisons) {
        if (comparison.paper != null) {
          Boolean isWithin = comparison.isWithinTolerance;
          table.row(
              entry.label,
              comparison.policy,
              comparison.figure,
              number(comparison.ours, 2),
              number(comparison.paper, 2),
              isWithin == null
                  ? ""
                  : isWithin
                      ? "within " + number(report.tolerancePoints, 0)
                      : signed(comparison.ours - comparison.paper) + " points");
        }
      }
    }
    return table.section();
  }

  private static String measured(Report report) {
    TextTable table =
        new TextTable("against a measurement", "policy", "figure", "simulated", "measured", "ratio")
            .left(2);
    for (Report.Entry entry : report.variants) {
      for (Report.Comparison comparison : entry.comparisons) {
        if (comparison.measured != null) {
          table.row(
              entry.label,
              comparison.policy,
              comparison.figure,
              number(comparison.ours, 2),
              number(comparison.measured, 2),
              number(comparison.ofMeasured, 2));
        }
      }
    }
    return table.section();
  }

  private static String failures(Report report) {
    TextTable table =
        new TextTable(
                "failures",
                "policy",
                "nodes died",
                "racks away",
                "blocks repaired",
                "blocks lost",
                "stripes skipped",
                "repair GB")
            .left(2);
    for (Report.Entry entry : report.variants) {
      for (Result result : entry.results) {
        double died = result.mean(run -> run.failures.nodesDied + run.failures.racksAway);
        if (died > 0) {
          table.row(
              entry.label,
              result.policy,
              number(result.mean(run -> run.failures.nodesDied), 1),
              number(result.mean(run -> run.failures.racksAway), 1),
              number(result.mean(run -> run.failures.blocksRepaired), 1),
              number(result.mean(run -> run.failures.blocksLost), 1),
              number(result.mean(run -> run.stripesSkipped), 1),
              number(result.mean(run -> run.failures.repairGb), 1));
        }
      }
    }
    return table.section();
  }

  static String number(double value, int digits) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  private static String signed(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%+.1f", value);
  }
}
