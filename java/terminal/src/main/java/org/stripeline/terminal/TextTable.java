// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A text table: the first column is left-aligned, all others are right-aligned. */
public final class TextTable {

  private static final String GAP = "  ";

  private final List<String[]> rows = new ArrayList<>();

  public TextTable(String... headings) {
    rows.add(headings.clone());
  }

  /** Adds a row; missing cells at the end are empty. */
  public TextTable row(String... cells) {
    if (cells.length > columns()) {
      throw new IllegalArgumentException(
          "Cannot add row: " + cells.length + " cells for " + columns() + " columns");
    }
    String[] row = Arrays.copyOf(cells, columns());
    for (int i = cells.length; i < row.length; i++) {
      row[i] = "";
    }
    rows.add(row);
    return this;
  }

  /**
   * Returns the lines, with a rule below the headings. Each line ends with a line feed and has no
   * trailing blanks.
   */
  public String render() {
    int[] widths = new int[columns()];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      appendRow(text, rows.get(r), widths);
      if (r == 0) {
        int width = GAP.length() * (widths.length - 1) + Arrays.stream(widths).sum();
        for (int i = 0; i < width; i++) {
          text.append('-');
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  private int columns() {
    return rows.get(0).length;
  }

  private static void appendRow(StringBuilder text, String[] row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.length; i++) {
      StringBuilder blanks = new StringBuilder();
      for (int pad = row[i].length(); pad < widths[i]; pad++) {
        blanks.append(' ');
      }
      line.append(i == 0 ? "" : GAP);
      line.append(i == 0 ? row[i] + blanks : blanks + row[i]);
    }
    text.append(line.toString().replaceAll(" +$", "")).append('\n');
  }
}
