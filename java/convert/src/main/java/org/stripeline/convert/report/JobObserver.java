// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;

/** Receives the progress of a job, from several threads. */
public interface JobObserver {
  /** Ignores all events. */
  JobObserver NONE = new JobObserver() {};

  /** Called for each file that is looked at before the job begins. */
  default void looked() {}

  /** Called when the plan includes a decision about a file. */
  default void planned(Candidate file, FileDecision decision) {}

  /** Called if a check failed of which the user should know; the job continues. */
  default void warned(String text) {}

  /** Called when the job to resume has been found, and the lease of its journal is awaited. */
  default void resuming() {}

  /** Called when the job has begun or been resumed. */
  default void begun(JobDirectory directory, Totals totals) {}

  /**
   * Called while a MapReduce job of this job runs.
   *
   * @param maps id of the MapReduce job
   * @param progress 0 to 1
   */
  default void mapping(String maps, float progress) {}

  /**
   * Called while files are being converted.
   *
   * @param bytes how many of the bytes in the totals have been converted since the last call;
   *     negative if a file was not converted after all, and its bytes are taken back
   */
  default void advanced(long bytes) {}

  /**
   * Called about once a second while the job runs.
   *
   * @param isPaused whether the operator has paused the job
   */
  default void ticked(boolean isPaused) {}

  /**
   * Called when the conversion of a file has ended, after its last bytes were counted.
   *
   * @param bytes the file's part of the bytes in the totals
   */
  default void ended(String path, long bytes, FileOutcome outcome) {}
}
