// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

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
public final class IdleWindows {
  private final Set<Window> windows = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isSweepPlanned = new AtomicBoolean();
  private final ScheduledExecutorService thread;
  private final long expiryMillis;

  /** Creates a set whose windows may be idle for one to two times {@code expiryMillis}. */
  public IdleWindows(ScheduledExecutorService thread, long expiryMillis) {
    this.thread = thread;
    this.expiryMillis = expiryMillis;
  }

  /** Records that a window holds buffers. */
  public void add(Window window) {
    windows.add(window);
    planSweep();
  }

  /** Records that a window holds no buffers. */
  public void remove(Window window) {
    windows.remove(window);
  }

  /** Returns the number of windows that hold buffers. */
  public int size() {
    return windows.size();
  }

  /** A window, as far as this class knows it. */
  public interface Window {
    /** Returns whether the window was used since {@link #markSwept} was called. */
    boolean isUsedSinceSweep();

    /** Records that the window was swept. */
    void markSwept();

    /**
     * Returns the buffers to the pool unless the window is inside a read; returns whether there
     * were any.
     */
    boolean putAway();
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
  public void sweep() {
    isSweepPlanned.set(false);
    for (Window window : windows) {
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
  public boolean reclaim() {
    for (Window window : windows) {
      if (!window.isUsedSinceSweep() && window.putAway()) {
        return true;
      }
    }
    for (Window window : windows) {
      if (window.putAway()) {
        return true;
      }
    }
    return false;
  }
}
