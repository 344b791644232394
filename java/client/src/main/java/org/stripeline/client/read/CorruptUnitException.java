// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;

/** Thrown when bytes of an internal block do not match their stored checksum. */
public final class CorruptUnitException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with Hadoop's exception as its cause. */
  public CorruptUnitException(String message, IOException cause) {
    super(message, cause);
  }
}
