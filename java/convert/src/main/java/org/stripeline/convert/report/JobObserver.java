// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.report;

import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.FileOutcome;
import org.stripeline.convert.job.JobDirectory;

/** Shows a job to its user as it goes on; called by several threads. */
public interface JobObserver {
  /** Sees nothing. */
  JobObserver NONE = new JobObserver() {};

  /** The plan has come to a file. */
  default void planned(Candidate file, FileDecision decision) {}

  /** Something could not be found out that the user should know of; the job goes on. */
  default void warned(String text) {}

  /** The job is begun, or taken up again. */
  default void begun(JobDirectory directory, Totals totals) {}

  /**
   * A MapReduce job of it is under way.
   *
   * @param maps its id
   * @param progress 0 to 1
   */
  default void mapping(String maps, float progress) {}

  /** A file has come to its end. */
  default void ended(String path, FileOutcome outcome) {}
}
