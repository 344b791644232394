// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.HashSet;
import java.util.Set;

/**
 * What a command that does several jobs has learnt about all jobs in a directory, so that it need
 * not look at each of them again for each job. Not thread-safe.
 */
public final class KnownJobs {
  /** Inode ids of the directories of jobs that have ended; none of them can be unfinished again. */
  private final Set<Long> ended = new HashSet<>();

  private boolean hasExpired;

  boolean hasEnded(JobDirectory job) {
    return ended.contains(job.inodeId());
  }

  void ended(JobDirectory job) {
    ended.add(job.inodeId());
  }

  /** Returns whether the directories of old jobs have to be deleted, which is once. */
  public boolean expires() {
    boolean isFirst = !hasExpired;
    hasExpired = true;
    return isFirst;
  }
}
