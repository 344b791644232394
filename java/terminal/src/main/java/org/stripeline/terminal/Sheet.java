// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

/** Receives the lines and tables of a report, and shows them as text or as a page. */
public interface Sheet {
  /** Adds a line; line feeds at its start are empty lines of a text. */
  void line(String text);

  /** Adds a table; without rows, nothing is added. */
  void table(TextTable table);

  /** Writes a report. */
  interface Content {
    void show(Sheet sheet);
  }

  /** Returns a report as text. */
  static String text(Content content) {
    StringBuilder text = new StringBuilder();
    content.show(
        new Sheet() {
          @Override
          public void line(String line) {
            String trimmed = line.replaceFirst("^\n+", "");
            text.append(line, 0, line.length() - trimmed.length());
            text.append(Terminal.oneLine(trimmed)).append('\n');
          }

          @Override
          public void table(TextTable table) {
            text.append(table.section());
          }
        });
    return text.toString();
  }
}
