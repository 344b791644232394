// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.stripeline.natives.Ticker;

/** A clock that only the test advances. Threads that wait by it are woken at each step. */
public final class VirtualTicker implements Ticker {
  private static final long LIMIT_MILLIS = TimeUnit.SECONDS.toMillis(30);

  private long nanos;
  private final Set<Object> monitors = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Long> ends = new ArrayList<>();

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public void timedWait(Object monitor, long timeoutNanos) throws InterruptedException {
    if (timeoutNanos <= 0) {
      return;
    }
    Long end;
    synchronized (this) {
      end = nanos + timeoutNanos;
      ends.add(end);
      monitors.add(monitor);
      notifyAll();
    }
    try {
      monitor.wait();
    } finally {
      synchronized (this) {
        ends.remove(end);
      }
    }
  }

  /** Advances the clock; threads that wait check it before {@link #awaitWait} counts them again. */
  public void advance(long by, TimeUnit unit) {
    List<Object> waiting;
    synchronized (this) {
      nanos += unit.toNanos(by);
      ends.clear();
      waiting = new ArrayList<>(monitors);
    }
    for (Object monitor : waiting) {
      synchronized (monitor) {
        monitor.notifyAll();
      }
    }
  }

  /** Waits, in real time, until a thread waits and has exactly this time left. */
  public synchronized void awaitWait(long left, TimeUnit unit) throws InterruptedException {
    long start = System.nanoTime();
    while (!ends.contains(nanos + unit.toNanos(left))) {
      long over = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      if (over >= LIMIT_MILLIS) {
        throw new AssertionError("no thread waits for " + left + " " + unit + " at " + nanos);
      }
      wait(LIMIT_MILLIS - over);
    }
  }
}
