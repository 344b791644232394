// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;

/**
 * Thrown if a user changed a file after its conversion began; the user's change takes precedence.
 */
final class ChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  ChangedException(String message) {
    super(message);
  }

  ChangedException(String message, Throwable cause) {
    super(message, cause);
  }
}
