// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.io.IOException;

/**
 * Thrown if a job is refused before it begins: nothing has been changed, and the message says what
 * to do.
 */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param message "Cannot verb object: reason with values"
   */
  public RefusedException(String message) {
    super(message);
  }
}
