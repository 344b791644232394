// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.stripeline.convert.job.Step;
import org.stripeline.convert.job.StepListener;

/**
 * Stops a driver at a step in the same way as kill -9: its streams are never closed, its leases are
 * not released, and nothing it does afterwards reaches the NameNode through its journal.
 */
final class Crash implements StepListener {
  private final DistributedFileSystem client;
  private final Step where;
  private int left;
  private volatile boolean isDead;

  /** The simulated kill: an Error, which no clean-up code of the driver catches. */
  static final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death(Step step) {
      super("killed at " + step);
    }
  }

  /** Creates a crash after {@code arrivals} files have reached a step. */
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
