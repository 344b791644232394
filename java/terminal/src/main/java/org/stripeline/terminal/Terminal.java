// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import picocli.CommandLine.Help.Ansi;

/** The terminal of this process, if its output is one. */
public final class Terminal {
  private static final int COLUMNS_MIN = 40;

  private Terminal() {}

  /**
   * Returns whether a descriptor is a terminal. Java's console is that of stdin and stdout
   * together.
   *
   * @param descriptor 1 for stdout, 2 for stderr
   */
  static boolean is(int descriptor) {
    try {
      String file = Files.readSymbolicLink(Paths.get("/proc/self/fd/" + descriptor)).toString();
      return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /**
   * Returns the width of stdout, which the launcher puts into COLUMNS; the greatest int if stdout
   * is no terminal or its width is not known.
   */
  static int columns() {
    return columns(is(1), System.getenv("COLUMNS"));
  }

  static int columns(boolean isTerminal, String columns) {
    if (!isTerminal || columns == null || !columns.matches("[0-9]{1,6}")) {
      return Integer.MAX_VALUE;
    }
    int width = Integer.parseInt(columns);
    return width == 0 ? Integer.MAX_VALUE : Math.max(COLUMNS_MIN, width);
  }

  /**
   * Colours the words WARNING, Warning, FAILED and PASSED of a text for stdout, by the conventions
   * of picocli: not if NO_COLOR is set, or stdout is no terminal.
   */
  public static String mark(String text) {
    return mark(text, 1);
  }

  static String mark(String text, int descriptor) {
    return is(descriptor) && Ansi.AUTO.enabled() ? coloured(text) : text;
  }

  /**
   * Returns a text as one line without effects on a terminal: control characters become escapes.
   * HDFS allows them in the names of files, which could otherwise print lines of their own.
   */
  public static String oneLine(String text) {
    StringBuilder line = new StringBuilder();
    for (char letter : text.toCharArray()) {
      switch (Character.getType(letter)) {
        case Character.CONTROL:
        case Character.FORMAT:
        case Character.LINE_SEPARATOR:
        case Character.PARAGRAPH_SEPARATOR:
          line.append(letter == '\n' ? "\\n" : String.format("\\u%04x", (int) letter));
          break;
        default:
          line.append(letter);
      }
    }
    return line.toString();
  }

  static String coloured(String text) {
    return text.replaceAll("\\b(WARNING|Warning)\\b", "\u001b[33m$1\u001b[39m")
        .replaceAll("\\bFAILED\\b", "\u001b[31mFAILED\u001b[39m")
        .replaceAll("\\bPASSED\\b", "\u001b[32mPASSED\u001b[39m");
  }
}
