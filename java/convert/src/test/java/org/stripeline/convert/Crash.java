// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;

/**
 * Lets a driver die at a step, as kill -9 does: its streams are never closed, its leases not given
 * back, and nothing that it would do afterwards reaches the NameNode through its journal.
 */
final class Crash implements StepListener {
  private final DistributedFileSystem client;
  private final Step where;
  private int left;
  private volatile boolean isDead;

  /** The death itself: an Error, which no clean-up of the driver catches. */
  static final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death(Step step) {
      super("killed at " + step);
    }
  }

  /** Dies when so many files have come to that step. */
  Crash(DistributedFileSystem client, Step where, int arrivals) {
    this.client = client;
    this.where = where;
    left = arrivals;
  }

  @Override
  public synchronized void reached(Step step, String path) {
    if (!isDead && step == where && --left == 0) {
      isDead = true;
      client.getClient().closeAllFilesBeingWritten(true);
    }
    if (isDead) {
      throw new Death(step);
    }
  }

  boolean happened() {
    return isDead;
  }
}
