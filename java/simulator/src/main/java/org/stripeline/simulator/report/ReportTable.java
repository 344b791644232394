// SPDX-License-Identifier: Apache-2.0
package org.stripeline.simulator.report;

import java.util.Locale;
import org.stripeline.simulator.scenario.Figure;
import org.stripeline.terminal.Quantity;
import org.stripeline.terminal.Sheet;
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

  /** Shows the report. */
  public static void show(Report report, Sheet sheet) {
    sheet.line(report.title);
    wrap(report.about, sheet);
    sheet.line("seed " + report.seed + ", " + Quantity.counted(report.seeds, "run") + " each");
    sheet.table(results(report));
    sheet.table(paper(report));
    sheet.table(measured(report));
    sheet.table(failures(report));
  }

  private static void wrap(String words, Sheet sheet) {
    StringBuilder line = new StringBuilder();
    for (String word : words.split(" ")) {
      if (line.length() > 0 && line.length() + word.length() > COLUMNS) {
        sheet.line(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    sheet.line(line.toString());
  }

  private static TextTable results(Report report) {
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
    return table;
  }

  private static TextTable paper(Report report) {
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
    return table;
  }

  private static TextTable measured(Report report) {
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
    return table;
  }

  private static TextTable failures(Report report) {
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
    return table;
  }

  static String number(double value, int digits) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  private static String signed(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%+.1f", value);
  }
}
