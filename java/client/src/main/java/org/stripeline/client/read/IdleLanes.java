// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.lang.management.ManagementFactory;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.management.JMException;
import javax.management.ObjectName;
import org.stripeline.natives.SharedThreads;

/**
 * Lanes that have nothing to read but hold a reader open, which occupies a connection and a thread
 * of its DataNode. The reader is closed when the lane has idled for a while, and of too many lanes
 * that of the one that has idled longest. The bound is generous, as streams that read in turns and
 * have more lanes open a connection for each read. The lock of this class is the last to be taken.
 */
final class IdleLanes {
  /** The lanes of more than a thousand streams of RS-6-3. */
  private static final int LANES_MOST = 8_192;

  /** Also where the process may open few files. */
  private static final int LANES_LEAST = 256;

  /** This part of the files that the process may open, sockets included. */
  private static final int FILES_PART = 4;

  /** Where the system does not say how many files may be open. */
  private static final long FILES_UNKNOWN = 4_096;

  private static final long THREAD_SECONDS = 10;

  private final int lanesMax;
  private final long expiryNanos;
  private final LongSupplier nanoClock;

  /** Since when each idles; the one that has idled longest is first. Guarded by itself. */
  private final Map<Lane, Long> lanes = new LinkedHashMap<>();

  private final ScheduledThreadPoolExecutor thread;
  private boolean isSweepPlanned;

  /** Lets lanes idle for so long. */
  IdleLanes(long expiryMillis) {
    this(
        lanesMax(openFiles()),
        expiryMillis,
        System::nanoTime,
        task -> SharedThreads.create(task, "stripeline-idle"));
  }

  IdleLanes(int lanesMax, long expiryMillis, LongSupplier nanoClock, ThreadFactory factory) {
    this.lanesMax = lanesMax;
    expiryNanos = TimeUnit.MILLISECONDS.toNanos(expiryMillis);
    this.nanoClock = nanoClock;
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

  /** Returns how many lanes may idle in a process that may have that many files open. */
  static int lanesMax(long openFiles) {
    return (int) Math.max(LANES_LEAST, Math.min(LANES_MOST, openFiles / FILES_PART));
  }

  long expiryMillis() {
    return TimeUnit.NANOSECONDS.toMillis(expiryNanos);
  }

  /** Returns the thread that looks after what idles. */
  ScheduledExecutorService thread() {
    return thread;
  }

  /** Takes note that a lane has nothing to read but its reader open. */
  void add(Lane lane) {
    Lane oldest = null;
    synchronized (lanes) {
      lanes.put(lane, nanoClock.getAsLong());
      if (lanes.size() > lanesMax) {
        Iterator<Lane> first = lanes.keySet().iterator();
        oldest = first.next();
        first.remove();
      }
      planSweep();
    }
    if (oldest != null) {
      Lane putAway = oldest;
      // The lock of the lane that was added is held here.
      thread.execute(putAway::putAway);
    }
  }

  /** Takes note that a lane has something to read, or has closed its reader. */
  void remove(Lane lane) {
    synchronized (lanes) {
      lanes.remove(lane);
    }
  }

  int size() {
    synchronized (lanes) {
      return lanes.size();
    }
  }

  private void planSweep() {
    if (!isSweepPlanned) {
      thread.schedule(this::sweep, expiryNanos, TimeUnit.NANOSECONDS);
      // Not before, since there may be no thread for it; then the next lane tries again.
      isSweepPlanned = true;
    }
  }

  /** Closes the readers whose time is over. */
  void sweep() {
    long now = nanoClock.getAsLong();
    while (true) {
      Lane lane;
      synchronized (lanes) {
        isSweepPlanned = false;
        if (lanes.isEmpty()) {
          return;
        }
        Map.Entry<Lane, Long> oldest = lanes.entrySet().iterator().next();
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
