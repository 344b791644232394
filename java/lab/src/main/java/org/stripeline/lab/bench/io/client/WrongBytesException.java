// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io.client;

import java.io.IOException;

/** Thrown if the contents of a file differ from what was written. */
public final class WrongBytesException extends IOException {
  private static final long serialVersionUID = 1L;

  public WrongBytesException(String message) {
    super(message);
  }
}
