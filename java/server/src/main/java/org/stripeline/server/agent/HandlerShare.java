// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.agent;

import java.util.concurrent.Semaphore;

/**
 * How many handlers of the DataNode's IPC server the agent's calls occupy: they serve the DataNode
 * in the first place, recovery of blocks among others. Nobody waits for a place, for that would
 * occupy a handler too; callers ask again.
 */
final class HandlerShare {
  private final Semaphore workers;
  private final Semaphore waiters;

  /** So many calls work, and so many others wait for tasks, at once. */
  HandlerShare(int workers, int waiters) {
    this.workers = new Semaphore(workers);
    this.waiters = new Semaphore(waiters);
  }

  /** Lets a call that works begin, until {@link #endWork}; refuses if too many do. */
  void beginWork() throws AgentException {
    if (!workers.tryAcquire()) {
      throw new AgentException(
          AgentException.Kind.BUSY,
          "Cannot serve more calls at once; ask again, or raise " + AgentKeys.CALLS);
    }
  }

  void endWork() {
    workers.release();
  }

  /** Returns whether a call may wait, which it then does until {@link #endWait}. */
  boolean beginWait() {
    return waiters.tryAcquire();
  }

  void endWait() {
    waiters.release();
  }
}
