// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;

/**
 * Thrown if the journal cannot be written. The driver must stop, since another one may run the job.
 */
public final class JournalLostException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean isTakenOver;

  JournalLostException(Throwable cause) {
    super(
        "Cannot continue: the journal of the job cannot be written (" + Reasons.of(cause) + ")",
        cause);
    isTakenOver = false;
  }

  /** Creates an exception for a job that another driver has taken over. */
  public JournalLostException(String job, JournalLostException cause) {
    super(
        "Cannot continue: another process has taken over job "
            + job
            + ", since this one was silent for too long; 'stripeline convert --status --job="
            + job
            + "' shows it",
        cause);
    isTakenOver = true;
  }

  /** Returns whether an exception shows that another driver has taken the job over. */
  public static boolean isTakenOver(IOException e) {
    return e instanceof JournalLostException && ((JournalLostException) e).isTakenOver;
  }
}
