// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The windows that hold buffers. Those of a stream that has not read for a while go back to the
 * pool, also if it was never closed; the stream fetches again what it reads next. Where a reader
 * lacks buffers, those of any stream that is not within a read are reclaimed at once.
 */
final class IdleWindows {
  private final Set<SequentialWindow> windows = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isSweepPlanned = new AtomicBoolean();
  private final ScheduledExecutorService thread;
  private final long expiryMillis;

  /** Lets windows idle for one or two times that long. */
  IdleWindows(ScheduledExecutorService thread, long expiryMillis) {
    this.thread = thread;
    this.expiryMillis = expiryMillis;
  }

  /** Takes note that a window holds buffers. */
  void add(SequentialWindow window) {
    windows.add(window);
    planSweep();
  }

  /** Takes note that a window holds none. */
  void remove(SequentialWindow window) {
    windows.remove(window);
  }

  int size() {
    return windows.size();
  }

  private void planSweep() {
    if (isSweepPlanned.compareAndSet(false, true)) {
      try {
        thread.schedule(this::sweep, expiryMillis, TimeUnit.MILLISECONDS);
      } catch (RuntimeException | OutOfMemoryError e) {
        // The next window plans it again; readers that lack buffers take them back without it.
        isSweepPlanned.set(false);
      }
    }
  }

  /** Has those windows give their buffers back that were not used since the last sweep. */
  void sweep() {
    isSweepPlanned.set(false);
    for (SequentialWindow window : windows) {
      if (window.isUsedSinceSweep()) {
        window.markSwept();
      } else {
        window.putAway();
      }
    }
    if (!windows.isEmpty()) {
      planSweep();
    }
  }

  /** Has one window give its buffers back, best one that has not been used for a while. */
  boolean reclaim() {
    for (SequentialWindow window : windows) {
      if (!window.isUsedSinceSweep() && window.putAway()) {
        return true;
      }
    }
    for (SequentialWindow window : windows) {
      if (window.putAway()) {
        return true;
      }
    }
    return false;
  }
}
