// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.io.IOException;

/** Bytes of an internal block do not have the checksum that was stored with them. */
public final class CorruptUnitException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Creates one with Hadoop's exception as its cause. */
  public CorruptUnitException(String message, IOException cause) {
    super(message, cause);
  }
}
