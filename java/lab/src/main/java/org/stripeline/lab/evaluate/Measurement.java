// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.evaluate;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** A command of ours that measures something and prints it as JSON. */
final class Measurement {
  /** The name of its files. */
  final String name;

  /** The command line, without {@code --json}. */
  final List<String> arguments;

  /** Estimated duration on two processors. */
  final int seconds;

  /** Whether exit status 1 only says that values differ from published ones. */
  final boolean mayDiffer;

  private Measurement(String name, int seconds, boolean mayDiffer, List<String> arguments) {
    this.name = name;
    this.seconds = seconds;
    this.mayDiffer = mayDiffer;
    this.arguments = Collections.unmodifiableList(arguments);
  }

  static Measurement of(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, false, Arrays.asList(commandLine.split(" +")));
  }

  /** Creates a measurement whose command compares its values itself. */
  static Measurement compared(String name, int seconds, String commandLine) {
    return new Measurement(name, seconds, true, Arrays.asList(commandLine.split(" +")));
  }

  /** Returns what a user types to repeat it. */
  String command() {
    return "stripeline " + String.join(" ", arguments);
  }
}
