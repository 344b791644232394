// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import java.io.IOException;

/** A file does not hold what was written. */
public final class WrongBytesException extends IOException {
  private static final long serialVersionUID = 1L;

  public WrongBytesException(String message) {
    super(message);
  }
}
