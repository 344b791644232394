// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.stripeline.agent.AgentException;

/**
 * How many handlers of the DataNode's IPC server the agent's calls occupy: they serve the DataNode
 * in the first place, recovery of blocks among others. A call never waits for a place, for that
 * would occupy a handler too; it is refused, and callers ask again.
 */
final class HandlerShare {
  /** No call that a disk serves at all takes as long. */
  private static final long STUCK_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Semaphore workers;
  private final Semaphore syncs;
  private final Semaphore waiters;
  private final LongSupplier nanoClock;

  /** When a call that works has last begun or ended. */
  private volatile long turnNanos;

  /**
   * Divides the handlers.
   *
   * @param workers most calls that work at once
   * @param waiters most calls that wait for a task at once
   */
  HandlerShare(int workers, int waiters) {
    this(workers, waiters, System::nanoTime);
  }

  HandlerShare(int workers, int waiters, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.workers = new Semaphore(workers);
    // A sync of a slow disk may take very long; one place is left for calls that need no sync.
    syncs = new Semaphore(Math.max(1, workers - 1));
    this.waiters = new Semaphore(waiters);
  }

  /** Lets a call that works begin, until {@link #endWork}; refuses if too many do. */
  void beginWork() throws AgentException {
    take(workers);
    turnNanos = nanoClock.getAsLong();
  }

  void endWork() {
    turnNanos = nanoClock.getAsLong();
    workers.release();
  }

  /** Returns whether all calls that may work have been at it for so long that their disk hangs. */
  boolean isStuck() {
    return workers.availablePermits() == 0 && nanoClock.getAsLong() - turnNanos > STUCK_NANOS;
  }

  /** Lets a call that works make a replica durable, until {@link #endSync}; refuses likewise. */
  void beginSync() throws AgentException {
    take(syncs);
  }

  void endSync() {
    syncs.release();
  }

  private static void take(Semaphore places) throws AgentException {
    if (!places.tryAcquire()) {
      throw new AgentException(
          AgentException.Kind.BUSY,
          "Cannot serve more calls at once; ask again, or raise " + AgentKeys.CALLS);
    }
  }

  /** Returns whether a call may wait, which it then does until {@link #endWait}. */
  boolean beginWait() {
    return waiters.tryAcquire();
  }

  void endWait() {
    waiters.release();
  }
}
