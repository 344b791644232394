// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A text table: the first columns are left-aligned, all others are right-aligned. On a terminal
 * that is narrower than the table, left-aligned cells are cut in the middle.
 */
public final class TextTable {

  private static final String GAP = "  ";
  private static final String CUT = "...";
  private static final int CUT_WIDTH_MIN = 16;

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
    String[] row = new String[columns()];
    for (int i = 0; i < row.length; i++) {
      row[i] = i < cells.length ? Terminal.oneLine(cells[i]) : "";
    }
    rows.add(row);
    return this;
  }

  /** Aligns the first columns to the left; without this call only the first. */
  public TextTable left(int columns) {
    leftColumns = columns;
    return this;
  }

  /** Returns the headings. */
  List<String> headings() {
    return Arrays.asList(rows.get(0));
  }

  /** Returns the cells of each row. */
  List<List<String>> cells() {
    return rows.subList(1, rows.size()).stream().map(Arrays::asList).collect(Collectors.toList());
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
    return render(Terminal.columns());
  }

  String render(int columnsMax) {
    int[] widths = new int[columns()];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    int width = GAP.length() * (widths.length - 1) + Arrays.stream(widths).sum();
    while (width > columnsMax && shrink(widths)) {
      width--;
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String cell = cut(row[i], widths[i]);
        String blanks = repeat(' ', widths[i] - cell.length());
        line.append(i == 0 ? "" : GAP).append(i < leftColumns ? cell + blanks : blanks + cell);
      }
      text.append(line.toString().replaceAll(" +$", "")).append('\n');
      text.append(row == rows.get(0) ? repeat('-', width) + "\n" : "");
    }
    return text.toString();
  }

  /** Takes a column off the widest left-aligned one, and returns whether that was possible. */
  private boolean shrink(int[] widths) {
    int widest = 0;
    for (int i = 1; i < Math.min(leftColumns, widths.length); i++) {
      widest = widths[i] > widths[widest] ? i : widest;
    }
    if (widths[widest] <= CUT_WIDTH_MIN) {
      return false;
    }
    widths[widest]--;
    return true;
  }

  /** Keeps the end, which distinguishes paths, and a third of the width from the start. */
  private static String cut(String cell, int width) {
    if (cell.length() <= width) {
      return cell;
    }
    int start = (width - CUT.length()) / 3;
    int end = cell.length() - (width - CUT.length() - start);
    return cell.substring(0, start) + CUT + cell.substring(end);
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
