// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.lang.management.ManagementFactory;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.ObjectName;
import org.stripeline.natives.SharedThreads;
import org.stripeline.natives.Ticker;

/**
 * Lanes that have nothing to read but keep a reader open, which occupies a connection and a thread
 * of its DataNode. The reader of a lane is closed after an idle period; if there are too many idle
 * lanes, the reader that has been idle longest is closed. The bound is generous because streams
 * that read in turns and have more lanes than the bound open a connection for each read. The lock
 * of this class is the last in the lock order.
 */
public final class IdleLanes {
  /** The lanes of more than a thousand streams of RS-6-3. */
  private static final int LANES_MOST = 8_192;

  /** The minimum, also if the process may open only few files. */
  private static final int LANES_LEAST = 256;

  /** The bound is this fraction of the files that the process may open, sockets included. */
  private static final int FILES_PART = 4;

  /** The assumed limit of open files if the system does not report one. */
  private static final long FILES_UNKNOWN = 4_096;

  private static final long THREAD_SECONDS = 10;

  private final int lanesMax;
  private final long expiryNanos;
  private final Ticker ticker;

  /** The time since which each lane has been idle, longest first. Guarded by itself. */
  private final Map<Idle, Long> lanes = new LinkedHashMap<>();

  private final ScheduledThreadPoolExecutor thread;
  private boolean isSweepPlanned;

  /** Closes the readers of lanes that have been idle for {@code expiryMillis}. */
  IdleLanes(long expiryMillis) {
    this(
        lanesMax(openFiles()),
        expiryMillis,
        Ticker.SYSTEM,
        task -> SharedThreads.create(task, "stripeline-idle"));
  }

  IdleLanes(int lanesMax, long expiryMillis, Ticker ticker, ThreadFactory factory) {
    this.lanesMax = lanesMax;
    expiryNanos = TimeUnit.MILLISECONDS.toNanos(expiryMillis);
    this.ticker = ticker;
    thread = new ScheduledThreadPoolExecutor(1, factory);
    thread.setKeepAliveTime(THREAD_SECONDS, TimeUnit.SECONDS);
    thread.allowCoreThreadTimeOut(true);
  }

  private static long openFiles() {
    try {
      Object files =
          ManagementFactory.getPlatformMBeanServer()
              .getAttribute(
                  new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME),
                  "MaxFileDescriptorCount");
      return ((Number) files).longValue();
    } catch (JMException | RuntimeException notUnix) {
      return FILES_UNKNOWN;
    }
  }

  /**
   * Returns the maximum number of idle lanes in a process that may have {@code openFiles} files
   * open.
   */
  static int lanesMax(long openFiles) {
    return (int) Math.max(LANES_LEAST, Math.min(LANES_MOST, openFiles / FILES_PART));
  }

  long expiryMillis() {
    return TimeUnit.NANOSECONDS.toMillis(expiryNanos);
  }

  /** Returns the thread for tasks on idle resources. */
  ScheduledExecutorService thread() {
    return thread;
  }

  /** Records that a lane has nothing to read but keeps its reader open. */
  public void add(Idle lane) {
    Idle oldest = null;
    synchronized (lanes) {
      lanes.put(lane, ticker.nanos());
      if (lanes.size() > lanesMax) {
        Iterator<Idle> first = lanes.keySet().iterator();
        oldest = first.next();
        first.remove();
      }
      planSweep();
    }
    if (oldest != null) {
      Idle putAway = oldest;
      // On another thread, because the lock of the added lane is held here.
      thread.execute(putAway::putAway);
    }
  }

  /** Records that a lane has something to read or has closed its reader. */
  public void remove(Idle lane) {
    synchronized (lanes) {
      lanes.remove(lane);
    }
  }

  /**
   * Closes the reader that has been idle longest among those of a DataNode, to make room for
   * another one at a DataNode that accepts no more connections.
   *
   * @return whether there was one
   */
  public boolean putAwayOldest(String node) {
    Idle oldest;
    do {
      oldest = removeOldest(node);
    } while (oldest != null && !oldest.putAway());
    return oldest != null;
  }

  private Idle removeOldest(String node) {
    synchronized (lanes) {
      for (Iterator<Idle> all = lanes.keySet().iterator(); all.hasNext(); ) {
        Idle lane = all.next();
        if (node.equals(lane.node())) {
          all.remove();
          return lane;
        }
      }
    }
    return null;
  }

  /** Returns the number of idle lanes. */
  public int size() {
    synchronized (lanes) {
      return lanes.size();
    }
  }

  private void planSweep() {
    if (!isSweepPlanned) {
      thread.schedule(this::sweep, expiryNanos, TimeUnit.NANOSECONDS);
      // Set after scheduling, which may fail for lack of a thread; then the next idle lane tries
      // again.
      isSweepPlanned = true;
    }
  }

  /** A lane, as far as this class knows it. */
  public interface Idle {
    /** Closes the reader if there is nothing to read; returns whether it did. */
    boolean putAway();

    /**
     * Returns the DataNode to which the reader has a connection, null if there is none. Takes no
     * lock.
     */
    String node();
  }

  /** Closes the readers whose idle period is over. */
  void sweep() {
    long now = ticker.nanos();
    while (true) {
      Idle lane;
      synchronized (lanes) {
        isSweepPlanned = false;
        if (lanes.isEmpty()) {
          return;
        }
        Map.Entry<Idle, Long> oldest = lanes.entrySet().iterator().next();
        if (now - oldest.getValue() < expiryNanos) {
          planSweep();
          return;
        }
        lane = oldest.getKey();
        lanes.remove(lane);
      }
      lane.putAway();
    }
  }
}
