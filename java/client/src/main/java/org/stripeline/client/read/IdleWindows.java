// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The windows that hold buffers. The buffers of a stream that has not read for a while are returned
 * to the pool, even if the stream is never closed; the stream fetches again what it reads next. If
 * a reader lacks buffers, those of any stream that is not inside a read are reclaimed at once.
 */
final class IdleWindows {
  private final Set<SequentialWindow> windows = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isSweepPlanned = new AtomicBoolean();
  private final ScheduledExecutorService thread;
  private final long expiryMillis;

  /** Creates a set whose windows may be idle for one to two times {@code expiryMillis}. */
  IdleWindows(ScheduledExecutorService thread, long expiryMillis) {
    this.thread = thread;
    this.expiryMillis = expiryMillis;
  }

  /** Records that a window holds buffers. */
  void add(SequentialWindow window) {
    windows.add(window);
    planSweep();
  }

  /** Records that a window holds no buffers. */
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
        // The next window schedules it again; readers that lack buffers reclaim them without it.
        isSweepPlanned.set(false);
      }
    }
  }

  /** Reclaims the buffers of the windows that were not used since the last sweep. */
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

  /**
   * Reclaims the buffers of one window, preferably one that was not used since the last sweep;
   * returns whether there was one.
   */
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
