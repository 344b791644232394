// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.stripeline.natives.Ticker;

/**
 * What a command that does several jobs has learnt about all jobs in a directory, so that it need
 * not look at each of them again for each job. Not thread-safe.
 */
public final class KnownJobs {
  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  /** Inode ids of the directories of jobs that have ended; none of them can be unfinished again. */
  private final Set<Long> ended = new HashSet<>();

  private boolean hasExpired;
  private long expiredNanos;

  boolean hasEnded(JobDirectory job) {
    return ended.contains(job.inodeId());
  }

  void ended(JobDirectory job) {
    ended.add(job.inodeId());
  }

  /** Forgets jobs whose directories were deleted; a service would collect them for ever. */
  void retain(List<JobDirectory> all) {
    Set<Long> there = new HashSet<>();
    all.forEach(job -> there.add(job.inodeId()));
    ended.retainAll(there);
  }

  /** Returns whether the directories of old jobs have to be deleted, which is once a day. */
  public boolean expires(Ticker ticker) {
    long now = ticker.nanos();
    if (hasExpired && now - expiredNanos < DAY_NANOS) {
      return false;
    }
    hasExpired = true;
    expiredNanos = now;
    return true;
  }
}
