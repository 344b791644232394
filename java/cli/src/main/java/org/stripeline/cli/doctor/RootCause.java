// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

/** The innermost cause of an exception, which says most to who is to mend it. */
final class RootCause {
  private RootCause() {}

  static Throwable of(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns its message, or its type where it has none. */
  static String message(Throwable e) {
    Throwable cause = of(e);
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
