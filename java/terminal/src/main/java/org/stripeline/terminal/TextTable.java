// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A text table: the first columns are left-aligned, all others are right-aligned. */
public final class TextTable {

  private static final String GAP = "  ";

  private final List<String[]> rows = new ArrayList<>();
  private int leftColumns = 1;

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
    Arrays.fill(row, cells.length, row.length, "");
    rows.add(row);
    return this;
  }

  /** Aligns the first columns to the left; without this call only the first. */
  public TextTable left(int columns) {
    leftColumns = columns;
    return this;
  }

  /** Returns an empty line and the lines; an empty text if there are no rows. */
  public String section() {
    return rows.size() > 1 ? "\n" + render() : "";
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
    int width = GAP.length() * (widths.length - 1) + Arrays.stream(widths).sum();
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String blanks = repeat(' ', widths[i] - row[i].length());
        line.append(i == 0 ? "" : GAP).append(i < leftColumns ? row[i] + blanks : blanks + row[i]);
      }
      text.append(line.toString().replaceAll(" +$", "")).append('\n');
      text.append(row == rows.get(0) ? repeat('-', width) + "\n" : "");
    }
    return text.toString();
  }

  private int columns() {
    return rows.get(0).length;
  }

  private static String repeat(char letter, int times) {
    char[] letters = new char[times];
    Arrays.fill(letters, letter);
    return new String(letters);
  }
}
