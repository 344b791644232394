// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;

/** A file is not any more what it was when its conversion began; its user's word counts. */
final class ChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  ChangedException(String message) {
    super(message);
  }

  ChangedException(String message, Throwable cause) {
    super(message, cause);
  }
}
