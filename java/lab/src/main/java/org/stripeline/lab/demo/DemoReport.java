// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.stripeline.terminal.Spread;
import org.stripeline.terminal.TextTable;

/**
 * The results of a run of the demo. The fields are those of the JSON that {@code --json} prints.
 */
final class DemoReport {
  final String format = "stripeline-demo-2";
  boolean passed;

  /** Why the demo did not pass, or null. */
  String failure;

  String policy;
  int datanodes;
  String hadoopVersion;
  String javaVersion;
  int processors;

  /** The implementation of our coder in use. */
  String coder;

  /** The storage of the blocks: memory or a disk. */
  String storage;

  long bytes;
  int rounds;
  int longRounds;
  boolean quick;
  double seconds;

  final List<Row> rows = new ArrayList<>();

  /** Descriptions of the comparisons and checks, each beginning with its act. */
  final List<String> checks = new ArrayList<>();

  /** The unit of a value. */
  enum Unit {
    MIB_PER_SECOND("MiB/s"),
    BYTES("bytes");

    private final String text;

    Unit(String text) {
      this.text = text;
    }
  }

  /** A line of the table: one operation of each client, over all rounds. */
  static final class Row {
    final int act;
    final String what;

    /** A short name for plots. */
    final String brief;

    final Unit unit;

    /** Each is null if the client was not measured. */
    final Spread ours;

    final Spread stock;
    final Spread replication;

    Row(
        int act,
        String what,
        String brief,
        Unit unit,
        Spread ours,
        Spread stock,
        Spread replication) {
      this.act = act;
      this.what = what;
      this.brief = brief;
      this.unit = unit;
      this.ours = ours;
      this.stock = stock;
      this.replication = replication;
    }

    /**
     * Returns how many times better our client is than the stock client, empty if this is
     * meaningless.
     */
    String advantage() {
      if (ours == null || stock == null || ours.median == 0 || stock.median == 0) {
        return "";
      }
      double times = ours.median / stock.median;
      return number("%.2fx", unit == Unit.BYTES ? 1 / times : times);
    }

    private String[] cells() {
      return new String[] {
        act + "  " + what, unit.text, text(ours), text(stock), text(replication), advantage()
      };
    }

    private String text(Spread value) {
      if (value == null) {
        return "-";
      }
      return number(unit == Unit.BYTES || value.median >= 100 ? "%,.0f" : "%.1f", value.median);
    }
  }

  void add(Row row) {
    rows.add(row);
  }

  void check(String form, Object... values) {
    checks.add(String.format(Locale.ROOT, form, values));
  }

  /** Returns the headings of {@link #cells}. */
  static String[] headings() {
    return new String[] {
      "act", "unit", "Stripeline", "stock, rs_java", "4 replicas", "against stock"
    };
  }

  List<String[]> cells() {
    List<String[]> cells = new ArrayList<>();
    rows.forEach(row -> cells.add(row.cells()));
    return cells;
  }

  String title() {
    return String.format(
        Locale.ROOT,
        "%s on %d DataNodes of one machine, %d processors, Hadoop %s, Java %s",
        policy,
        datanodes,
        processors,
        hadoopVersion,
        javaVersion);
  }

  /** Returns a text that explains the values and their limits. */
  String method() {
    return String.format(
        Locale.ROOT,
        "medians of %d, in acts 3 and 4 of %d; %d MiB a write or read by one thread; blocks in %s;"
            + " coder %s; clients and servers share the machine%s",
        rounds,
        longRounds,
        bytes >> 20,
        storage,
        coder,
        quick ? "; --quick: figures are rough, the JVMs are not warmed up" : "");
  }

  String outcome() {
    return passed
        ? number("PASSED in %.0f s", seconds)
        : number("FAILED after %.0f s: ", seconds) + failure;
  }

  /** Returns the report as text. */
  String render() {
    StringBuilder text = new StringBuilder();
    if (policy == null) {
      return "Could not run: " + failure + "\n";
    }
    text.append(title()).append('\n').append(method()).append("\n\n");
    TextTable table = new TextTable(headings());
    cells().forEach(table::row);
    text.append(table.render()).append('\n');
    checks.forEach(check -> text.append(check).append('\n'));
    return text.append('\n').append(outcome()).append('\n').toString();
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
