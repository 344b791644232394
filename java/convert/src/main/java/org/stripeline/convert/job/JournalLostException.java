// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;

/**
 * Thrown if the journal cannot be written. The driver must stop, since another one may run the job.
 */
public final class JournalLostException extends IOException {
  private static final long serialVersionUID = 1L;

  JournalLostException(Throwable cause) {
    super(
        "Cannot continue: the journal of the job cannot be written (" + Reasons.of(cause) + ")",
        cause);
  }
}
