// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.util.Arrays;
import java.util.List;
import org.stripeline.terminal.TimeSpan;
import picocli.CommandLine.Option;

/** Options of {@code stripeline convert} that carry out the rules of a file. */
final class ServiceOptions {
  /** Options that are allowed with these; all others belong to the rules. */
  static final List<String> ALLOWED =
      Arrays.asList(
          "--rules",
          "--once",
          "--every",
          "--explain",
          "--execute",
          "--dry-run",
          "--job-directory",
          "--json",
          "--keytab",
          "--principal",
          "-D");

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "Do what the rules in this local file say, one after the other, instead of converting"
              + " PATH; without --execute, only show what each would do")
  String file;

  @Option(names = "--once", description = "With --rules, carry them out once and end (default)")
  boolean once;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      description =
          "With --rules and --execute, carry them out again and again, at intervals such as 1h; of"
              + " several such processes one works and the others wait. SIGTERM ends it after the"
              + " files in progress")
  String every;

  @Option(
      names = "--explain",
      description = "With --rules, say for each file PATH which rule takes it, and why or why not")
  boolean explain;

  /** Returns whether an option is given that needs {@code --rules}. */
  String withoutRules() {
    return explain ? "--explain" : once ? "--once" : every != null ? "--every" : null;
  }

  /**
   * Returns the milliseconds between the beginnings of two passes, or 0 for one pass.
   *
   * @throws IllegalArgumentException if the options contradict each other
   */
  long intervalMs(boolean isExecute) {
    if (every == null) {
      return 0;
    }
    if (once) {
      throw new IllegalArgumentException("Cannot use --every with --once: leave one of them out");
    }
    if (!isExecute) {
      throw new IllegalArgumentException("Cannot use --every without --execute");
    }
    long ms = TimeSpan.millis("--every", every);
    if (ms == 0) {
      throw new IllegalArgumentException("Cannot use --every=" + every + ": at least 1s");
    }
    return ms;
  }
}
