// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.io.IOException;

/** A file does not hold what was written. */
final class WrongBytesException extends IOException {
  private static final long serialVersionUID = 1L;

  WrongBytesException(String message) {
    super(message);
  }
}
