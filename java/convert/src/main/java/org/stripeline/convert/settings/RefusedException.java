// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

import java.io.IOException;

/** A job that was not begun: nothing has been touched, and the message says what to do. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message "Cannot verb object: reason with values"
   */
  public RefusedException(String message) {
    super(message);
  }
}
