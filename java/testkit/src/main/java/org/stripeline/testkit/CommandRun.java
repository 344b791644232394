// SPDX-License-Identifier: Apache-2.0
package org.stripeline.testkit;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * A command that has run in this process.
 *
 * @param status its exit status
 * @param out what it printed to standard output
 * @param err what it printed to standard error
 */
public record CommandRun(int status, String out, String err) {
  /** Runs a command to its end. */
  public static CommandRun of(CommandLine line, String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    int status = line.execute(words);
    return new CommandRun(status, out.toString(), err.toString());
  }

  /** Runs a command to its end. */
  public static CommandRun of(CommandLine line, List<String> words) {
    return of(line, words.toArray(new String[0]));
  }

  /**
   * Returns this run.
   *
   * @throws AssertionError with what it printed if it has another exit status
   */
  public CommandRun require(int expected) {
    if (status != expected) {
      throw new AssertionError("exit status " + status + " instead of " + expected + ": " + said());
    }
    return this;
  }

  /** Returns all that it printed, first to standard output. */
  public String said() {
    return out + err;
  }
}
