// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTableTest {
  private static final String PATH = "/warehouse/sales/year=2024/month=11/part-00042";

  private final TextTable table = new TextTable("path", "files").row(PATH, "12").row("/b", "1234");

  @Test
  void isAsWideAsItsCellsWithoutATerminal() {
    assertThat(table.render())
        .isEqualTo(table.render(Integer.MAX_VALUE))
        .contains(PATH + "     12");
  }

  @Test
  void longCellsAreCutInTheMiddleToFitATerminal() {
    String narrow = table.render(40);
    assertThat(narrow.split("\n")).allMatch(line -> line.length() <= 40);
    assertThat(narrow).contains("/warehouse...", "month=11/part-00042     12").contains("1234");
  }

  @Test
  void numbersAreNeverCut() {
    assertThat(table.render(5)).contains("1234", "-00042     12");
  }

  @Test
  void theWidthIsThatOfATerminalOnly() {
    assertThat(Terminal.columns(true, "120")).isEqualTo(120);
    assertThat(Terminal.columns(true, "7")).isEqualTo(40);
    for (String unknown : new String[] {null, "", "0", "wide"}) {
      assertThat(Terminal.columns(true, unknown)).isEqualTo(Integer.MAX_VALUE);
    }
    assertThat(Terminal.columns(false, "120")).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void namesWithControlCharactersAreOneLineWithoutEffects() {
    String name = "/a\nb\u001b[2Kc\u202e";
    String shown = "/a\\nb\\u001b[2Kc\\u202e";

    assertThat(Terminal.oneLine(name)).isEqualTo(shown);
    assertThat(Terminal.oneLine("/caf\u00e9 \\n")).isEqualTo("/caf\u00e9 \\n");
    assertThat(new TextTable("path").row(name).render()).endsWith("\n" + shown + "\n");
    assertThat(Sheet.text(sheet -> sheet.line("\n" + name))).isEqualTo("\n" + shown + "\n");
    assertThat(CommandStyle.shellWord("/a\nit's\\")).isEqualTo("$'/a\\nit\\'s\\\\'");
  }

  @Test
  void verdictsAreColouredOnTerminalsOnly() {
    String line = "PASSED, WARNING: some FAILED";
    assertThat(Terminal.coloured(line))
        .isEqualTo(
            "\u001b[32mPASSED\u001b[39m, \u001b[33mWARNING\u001b[39m: some"
                + " \u001b[31mFAILED\u001b[39m");
    assertThat(Terminal.coloured("not passed")).isEqualTo("not passed");
    assertThat(Terminal.mark(line)).isEqualTo(line);
  }
}
