// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;

/**
 * Thrown when a range of several stripes cannot be read as a whole because too many units have
 * failed somewhere in it; each single stripe may still be readable.
 */
public final class ExhaustedException extends IOException {
  private static final long serialVersionUID = 1L;

  ExhaustedException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
