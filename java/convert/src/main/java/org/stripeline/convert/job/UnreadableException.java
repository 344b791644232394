// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;

/** Thrown if the content of a file of a job is lost, or was not written by this command. */
public final class UnreadableException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean isNewer;

  private UnreadableException(String message, Exception cause, boolean isNewer) {
    super(message, cause);
    this.isNewer = isNewer;
  }

  static UnreadableException of(String file, String why, Exception cause) {
    return new UnreadableException("Cannot read " + file + ": " + why, cause, false);
  }

  static UnreadableException newer(String file, int format, int known) {
    return new UnreadableException(
        "Cannot use "
            + file
            + ": its format is "
            + format
            + " and this version of the command knows "
            + known
            + ", so what the settings mean is not known; use the version that began the job",
        null,
        true);
  }

  /** Returns whether a newer version of this command wrote the file. */
  public boolean isNewer() {
    return isNewer;
  }
}
