// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** The states of a job. */
public enum JobState {
  /** It has changed nothing: its driver is about to create the journal, or died before that. */
  @SerializedName("begun")
  BEGUN,

  /** A driver runs it. */
  @SerializedName("running")
  RUNNING,

  /** A driver has it, and begins nothing while the pause file exists. */
  @SerializedName("paused")
  PAUSED,

  /** A driver has it, and ends or rolls back what is in progress. */
  @SerializedName("cancelling")
  CANCELLING,

  /** No driver has it, and it is not finished. */
  @SerializedName("interrupted")
  INTERRUPTED,

  /** Its journal is open, but no status was ever recorded. */
  @SerializedName("unknown")
  UNKNOWN,

  /** The whole tree was walked; some files may have failed. */
  @SerializedName("finished")
  FINISHED,

  /** It was ended before the whole tree was walked. */
  @SerializedName("cancelled")
  CANCELLED;

  /** Returns whether the job has ended. */
  public boolean isEnded() {
    return this == FINISHED || this == CANCELLED;
  }

  /** Returns whether a driver is known to run the job. */
  public boolean isLive() {
    return this == RUNNING || this == PAUSED || this == CANCELLING;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
