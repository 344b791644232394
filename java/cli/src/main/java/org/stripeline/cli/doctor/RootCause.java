// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.util.regex.Pattern;

/** Finds the innermost cause of an exception, which is usually the most helpful one. */
final class RootCause {
  /**
   * The message of Java 17 and later when a class whose initialization failed is used again: {@code
   * Exception java.lang.RuntimeException: message [in thread "main"]}.
   */
  private static final Pattern REPEATED =
      Pattern.compile("^Exception [\\w.$]+: (.*) \\[in thread \".*\"\\]$", Pattern.DOTALL);

  private RootCause() {}

  static Throwable of(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns the message of the innermost cause, or its type if it has no message. */
  static String message(Throwable e) {
    Throwable cause = of(e);
    return cause.getMessage() == null
        ? cause.toString()
        : REPEATED.matcher(cause.getMessage()).replaceFirst("$1");
  }
}
