// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DataNodes that were late or failed recently, and {@link Replica storages and blocks} of them:
 * they are asked last until a period is over. Then one read asks such a DataNode again, whose end
 * tells for all streams of the client: it is trusted again, or suspect for a period that doubles
 * each time. It is a preference only; where they are needed, they are asked.
 */
final class NodeHealth {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);
  private static final int DOUBLINGS_MAX = 5;
  private static final int TOLD_MAX = 1_000;

  /** More than DataNodes and their disks that hang, but blocks are many. */
  private static final int SUSPICIONS_MAX = 10_000;

  /** What is in the log is not repeated for this time, however short the period is. */
  private static final long TOLD_NANOS_MIN = TimeUnit.SECONDS.toNanos(10);

  private final long periodNanos;
  private final LongSupplier nanoClock;
  private final Map<String, Suspicion> suspicions = new ConcurrentHashMap<>();

  /** What was logged, and when. */
  private final Map<String, Long> told = new ConcurrentHashMap<>();

  /** By DataNode, the late read that goes on though its bytes are not wanted any more. */
  private final Map<String, SpanRead> lingering = new ConcurrentHashMap<>();

  NodeHealth(long periodMillis) {
    this(periodMillis, System::nanoTime);
  }

  NodeHealth(long periodMillis, LongSupplier nanoClock) {
    periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMillis);
    this.nanoClock = nanoClock;
  }

  /** Returns how long what is known to be wrong is held to be so, in nanoseconds. */
  long periodNanos() {
    return periodNanos;
  }

  boolean isSuspect(String node) {
    Suspicion suspicion = suspicions.get(node);
    return suspicion != null && suspicion.untilNanos - nanoClock.getAsLong() > 0;
  }

  /**
   * Returns whether a DataNode may be asked as readily as any. When a period of suspicion is over,
   * the first to ask gets that answer and must read from it; the others must wait for its end. If
   * the read ends without telling, since it is given up or its block is gone, another one may ask
   * after a single period.
   */
  boolean admits(String node) {
    Suspicion suspicion = suspicions.get(node);
    if (suspicion == null) {
      return true;
    }
    long now = nanoClock.getAsLong();
    return suspicion.untilNanos - now <= 0
        && suspicions.replace(
            node,
            suspicion,
            new Suspicion(now + periodNanos, suspicion.times, true, suspicion.isLogged));
  }

  private long period(int times) {
    return periodNanos << times;
  }

  /** Returns whether something has not been logged within a period, and is to be now. */
  boolean isNews(String what) {
    if (told.size() >= TOLD_MAX) {
      told.clear();
    }
    long now = nanoClock.getAsLong();
    Long before = told.get(what);
    if (before != null && now - before < Math.max(periodNanos, TOLD_NANOS_MIN)) {
      return false;
    }
    return before == null ? told.putIfAbsent(what, now) == null : told.replace(what, before, now);
  }

  /** Takes note that a DataNode was late or does not answer. */
  void markSuspect(String node, String why) {
    compute(node, why);
  }

  /** Takes note that a part of a DataNode was late, of which the log tells already. */
  void markSuspectSilently(String name) {
    if (suspicions.size() >= SUSPICIONS_MAX) {
      long now = nanoClock.getAsLong();
      suspicions.values().removeIf(suspicion -> suspicion.untilNanos - now <= 0);
    }
    if (suspicions.size() < SUSPICIONS_MAX) {
      compute(name, null);
    }
  }

  private void compute(String node, String why) {
    suspicions.compute(
        node,
        (name, old) -> {
          long nanos = nanoClock.getAsLong();
          if (old != null && !old.isProbed && old.untilNanos - nanos > 0) {
            return old;
          }
          int times = old == null ? 0 : Math.min(old.times + 1, DOUBLINGS_MAX);
          boolean isNews = why != null && isNews(node);
          if (isNews) {
            LOG.warn(
                "DataNode {} is asked last for {} s: {}",
                node,
                TimeUnit.NANOSECONDS.toSeconds(period(times)),
                why);
          }
          boolean isLogged = isNews || old != null && old.isLogged;
          return new Suspicion(nanos + period(times), times, false, isLogged);
        });
  }

  /** Takes note that a DataNode has served a read in time. */
  void markHealthy(String node) {
    Suspicion past = suspicions.isEmpty() ? null : suspicions.remove(node);
    if (past != null && past.isLogged) {
      LOG.info("DataNode {} serves reads again", node);
    }
  }

  /**
   * Returns whether a late read whose bytes are not wanted may go on, since its end tells whether
   * its DataNode hangs or was slow once. One at a time may; the others would only hold threads.
   */
  boolean mayLinger(String node, SpanRead read) {
    return lingering.putIfAbsent(node, read) == null;
  }

  /** Takes note that a read is over. */
  void over(String node, SpanRead read) {
    if (!lingering.isEmpty()) {
      lingering.remove(node, read);
    }
  }

  private static final class Suspicion {
    final long untilNanos;
    final int times;

    /** Whether a read asks the DataNode again now. */
    final boolean isProbed;

    /** Whether the log tells of it, and so must tell of its end. */
    final boolean isLogged;

    Suspicion(long untilNanos, int times, boolean isProbed, boolean isLogged) {
      this.untilNanos = untilNanos;
      this.times = times;
      this.isProbed = isProbed;
      this.isLogged = isLogged;
    }
  }
}
