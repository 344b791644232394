// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;

/**
 * A range of several stripes cannot be had as a whole, since too many units have failed somewhere
 * in it; each stripe by itself may still be readable.
 */
public final class ExhaustedException extends IOException {
  private static final long serialVersionUID = 1L;

  ExhaustedException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
