// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A command or script of ours that measures something and prints it as JSON. */
final class Measurement {
  /** The name of its files. */
  final String name;

  /** The command line, without {@code --json} of a command. */
  final List<String> arguments;

  /** Estimated duration on two processors. */
  final int seconds;

  /** Whether exit status 1 only says that values differ from published ones. */
  final boolean mayDiffer;

  /** Whether it is a script of the checkout, not a command. */
  final boolean isScript;

  private Measurement(
      String name, int seconds, boolean mayDiffer, boolean isScript, String commandLine) {
    this.name = name;
    this.seconds = seconds;
    this.mayDiffer = mayDiffer;
    this.isScript = isScript;
    this.arguments = Collections.unmodifiableList(Arrays.asList(commandLine.split(" +")));
  }

  static Measurement of(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, false, false, commandLine);
  }

  /** Creates a measurement by a script, whose path is relative to the checkout. */
  static Measurement script(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, false, true, commandLine);
  }

  /** Creates a measurement whose command compares its values itself. */
  static Measurement compared(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, true, false, commandLine);
  }

  /** Returns what a user types to repeat it. */
  String command() {
    return (isScript ? "" : "stripeline ") + String.join(" ", arguments);
  }
}
