// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.fuzz;

/** An error of a client that the fuzzer has found. */
final class Finding extends Exception {
  private static final long serialVersionUID = 1;

  /** The kinds of errors, worst first. */
  enum Kind {
    WRONG_BYTES,
    HANG,
    NO_IO_EXCEPTION,
    NEEDLESS_FAILURE,
    SLOW,
    LEAK,
    BAD_MESSAGE,
    BROKEN_CONTRACT
  }

  private final transient Kind kind;

  Finding(Kind kind, String text, Throwable cause) {
    super(kind + ": " + text, cause);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
