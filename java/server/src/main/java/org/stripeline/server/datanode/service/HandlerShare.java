// SPDX-License-Identifier: Apache-2.0
package org.stripeline.server.datanode.service;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.stripeline.agent.AgentException;
import org.stripeline.natives.Ticker;
import org.stripeline.server.datanode.AgentKeys;

/**
 * Limits the handlers of the DataNode's IPC server that the agent's calls occupy, since the
 * DataNode needs them for its own calls, such as block recovery. A call never waits for a permit,
 * since a waiting call occupies a handler too; it is refused with BUSY, and callers retry.
 */
final class HandlerShare {
  /** Longer than any call to a working disk takes. */
  private static final long STUCK_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Longer than a slow disk takes to sync a block of 1 GiB, which for tasks is 1 MiB/s. */
  private static final long SYNC_STUCK_NANOS = TimeUnit.MINUTES.toNanos(20);

  private final Places workers;
  private final Places syncs;
  private final Places scrubs;
  private final Semaphore waiters;
  private final Ticker ticker;

  /**
   * Creates the limits.
   *
   * @param workers maximum number of concurrent calls that do work
   * @param waiters maximum number of concurrent calls that wait for a task
   */
  HandlerShare(int workers, int waiters) {
    this(workers, waiters, Ticker.SYSTEM);
  }

  HandlerShare(int workers, int waiters, Ticker ticker) {
    this.ticker = ticker;
    this.workers = new Places(workers);
    // A sync on a slow disk may take very long, so one permit is reserved for calls without a sync.
    syncs = new Places(Math.max(1, workers - 1));
    scrubs = new Places(Math.max(1, (workers - 1) / 2));
    this.waiters = new Semaphore(waiters);
  }

  /** Permits, and the time at which one was last taken or returned. */
  private final class Places {
    private final Semaphore permits;
    private volatile long turnNanos;

    Places(int count) {
      permits = new Semaphore(count);
    }

    void take() throws AgentException {
      if (!permits.tryAcquire()) {
        throw new AgentException(
            AgentException.Kind.BUSY,
            "Cannot serve more calls at the same time; try again later, or raise "
                + AgentKeys.CALLS);
      }
      turnNanos = ticker.nanos();
    }

    void end() {
      turnNanos = ticker.nanos();
      permits.release();
    }

    boolean isStuck(long nanos) {
      return permits.availablePermits() == 0 && ticker.nanos() - turnNanos > nanos;
    }
  }

  /** Begins a call that does work, until {@link #endWork}; refuses it if there are too many. */
  void beginWork() throws AgentException {
    workers.take();
  }

  void endWork() {
    workers.end();
  }

  /**
   * Returns whether all permits of working calls, or all of calls that sync, have been held for so
   * long that a disk must be hanging.
   */
  boolean isStuck() {
    return workers.isStuck(STUCK_NANOS) || syncs.isStuck(SYNC_STUCK_NANOS);
  }

  /** Begins a sync in a working call, until {@link #endSync}; refuses it if there are too many. */
  void beginSync() throws AgentException {
    syncs.take();
  }

  void endSync() {
    syncs.end();
  }

  /**
   * Begins a call that reads for fingerprints, until {@link #endScrub}; refuses it if there are too
   * many. It counts as a working call that waits for a disk; such calls never take all permits of
   * syncs unless there is only one.
   */
  void beginScrub() throws AgentException {
    scrubs.take();
    try {
      syncs.take();
      try {
        beginWork();
      } catch (AgentException e) {
        syncs.end();
        throw e;
      }
    } catch (AgentException e) {
      scrubs.end();
      throw e;
    }
  }

  void endScrub() {
    endWork();
    syncs.end();
    scrubs.end();
  }

  /** Returns whether a call may wait, in which case it waits until {@link #endWait}. */
  boolean beginWait() {
    return waiters.tryAcquire();
  }

  void endWait() {
    waiters.release();
  }
}
