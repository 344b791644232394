// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

/** Finds the innermost cause of an exception, which is usually the most helpful one. */
final class RootCause {
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
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
