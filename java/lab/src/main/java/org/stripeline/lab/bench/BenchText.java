// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stripeline.terminal.Spread;

/** The text of a bench's report, and the parts that reports share. */
public final class BenchText {
  private final StringBuilder text = new StringBuilder();

  /** Adds a line. */
  public void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** Adds text as it is. */
  public void append(String more) {
    text.append(more);
  }

  /** Adds the software and the machine. */
  public void machine(String hadoop, String java, BenchMachine machine, String coder) {
    line(
        "Hadoop %s, %s, %s, %d processors, load before: %s",
        hadoop, java, machine.processorName(), machine.processors, machine.load);
    line("%s", coder);
  }

  /** Adds those that were not measured, with the reasons. */
  public void leftOut(Map<String, String> reasons) {
    reasons.forEach((name, reason) -> line("left out %s: %s", name, reason));
  }

  /** Adds the failures and the judgements. */
  public void judged(List<String> failures, List<Judgement> judgements) {
    failures.forEach(failure -> line("FAILED %s", failure));
    int unmeasured = 0;
    for (Judgement judgement : judgements) {
      if (judgement.value == null) {
        unmeasured++;
      } else {
        line(
            "%-10s %s: %.2f (limit %s)",
            judgement.verdict, judgement.name, judgement.value, judgement.limit);
      }
    }
    if (unmeasured > 0) {
      line("%d thresholds not judged: their figures were not measured", unmeasured);
    }
  }

  /** Formats a number. */
  public static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** Formats a median; empty if there is none. */
  public static String median(String format, Spread spread) {
    return spread == null ? "" : number(format, spread.median);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
