// SPDX-License-Identifier: Apache-2.0
package org.stripeline.natives;

import java.io.IOException;

/** A coding call that failed for a reason other than its arguments. */
public final class EcException extends IOException {
  private static final long serialVersionUID = 1L;

  EcException(String message) {
    super(message);
  }
}
