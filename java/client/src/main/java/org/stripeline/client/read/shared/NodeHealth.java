// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stripeline.natives.Ticker;

/**
 * DataNodes that were late or failed recently, and storages and blocks of them. They are the last
 * choice for reads until a period is over. Then one read probes the DataNode, and its result
 * applies to all streams of the client: the DataNode is healthy again, or suspect for a period that
 * doubles each time. This is only a preference; reads use a suspect DataNode if they need it.
 */
public final class NodeHealth {
  private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);
  private static final int DOUBLINGS_MAX = 5;
  private static final int TOLD_MAX = 1_000;

  /** Larger than any number of DataNodes and disks that hang; bounds the entries of blocks. */
  private static final int SUSPICIONS_MAX = 10_000;

  /** A logged message is not repeated for at least this time, also if the period is shorter. */
  private static final long TOLD_NANOS_MIN = TimeUnit.SECONDS.toNanos(10);

  private final long periodNanos;
  private final Ticker ticker;
  private final Map<String, Suspicion> suspicions = new ConcurrentHashMap<>();

  /** The messages that were logged, with the time of each. */
  private final Map<String, Long> told = new ConcurrentHashMap<>();

  /** By DataNode, the late read that continues although its bytes are no longer needed. */
  private final Map<String, Object> lingering = new ConcurrentHashMap<>();

  NodeHealth(long periodMillis, Ticker ticker) {
    periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMillis);
    this.ticker = ticker;
  }

  /** Returns how long a suspicion or fault lasts, in nanoseconds. */
  public long periodNanos() {
    return periodNanos;
  }

  /** Returns whether a DataNode, or a part of one, was late or failed within its period. */
  public boolean isSuspect(String node) {
    Suspicion suspicion = suspicions.get(node);
    return suspicion != null && suspicion.untilNanos - ticker.nanos() > 0;
  }

  /**
   * Returns whether a DataNode may be read without a preference for others. When a period of
   * suspicion is over, the first caller gets true and must read from it; other callers get false
   * until that read ends. If the read ends without a result, because it is given up or its block is
   * gone, another read may probe after a single period.
   */
  public boolean admits(String node) {
    Suspicion suspicion = suspicions.get(node);
    if (suspicion == null) {
      return true;
    }
    long now = ticker.nanos();
    return suspicion.untilNanos - now <= 0
        && suspicions.replace(
            node,
            suspicion,
            new Suspicion(now + periodNanos, suspicion.times, true, suspicion.isLogged));
  }

  private long period(int times) {
    return periodNanos << times;
  }

  /**
   * Returns whether a message has not been logged within a period; if so, records that it is logged
   * now.
   */
  public boolean isNews(String what) {
    if (told.size() >= TOLD_MAX) {
      told.clear();
    }
    long now = ticker.nanos();
    Long before = told.get(what);
    if (before != null && now - before < Math.max(periodNanos, TOLD_NANOS_MIN)) {
      return false;
    }
    return before == null ? told.putIfAbsent(what, now) == null : told.replace(what, before, now);
  }

  /** Records that a DataNode was late or did not answer. */
  public void markSuspect(String node, String why) {
    compute(node, why);
  }

  /**
   * Records that a part of a DataNode was late, without a log message, because the DataNode's is
   * logged.
   */
  public void markSuspectSilently(String name) {
    if (suspicions.size() >= SUSPICIONS_MAX) {
      long now = ticker.nanos();
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
          long nanos = ticker.nanos();
          if (old != null && !old.isProbed && old.untilNanos - nanos > 0) {
            return old;
          }
          int times = old == null ? 0 : Math.min(old.times + 1, DOUBLINGS_MAX);
          boolean isNews = why != null && isNews(node);
          if (isNews) {
            LOG.warn(
                "Avoiding DataNode {} for {} s: {}",
                node,
                TimeUnit.NANOSECONDS.toSeconds(period(times)),
                why);
          }
          boolean isLogged = isNews || old != null && old.isLogged;
          return new Suspicion(nanos + period(times), times, false, isLogged);
        });
  }

  /** Records that a DataNode has served a read in time. */
  public void markHealthy(String node) {
    Suspicion past = suspicions.isEmpty() ? null : suspicions.remove(node);
    if (past != null && past.isLogged) {
      LOG.info("No longer avoiding DataNode {}: it serves reads again", node);
    }
  }

  /**
   * Returns whether a late read whose bytes are no longer needed may continue: its end shows
   * whether its DataNode hangs or was slow once. Only one read per DataNode may, since others would
   * only occupy threads.
   */
  public boolean mayLinger(String node, Object read) {
    return lingering.putIfAbsent(node, read) == null;
  }

  /** Records that a read has ended. */
  public void over(String node, Object read) {
    if (!lingering.isEmpty()) {
      lingering.remove(node, read);
    }
  }

  private static final class Suspicion {
    final long untilNanos;
    final int times;

    /** Whether a read is probing the DataNode now. */
    final boolean isProbed;

    /** Whether the suspicion was logged; its end is then logged too. */
    final boolean isLogged;

    Suspicion(long untilNanos, int times, boolean isProbed, boolean isLogged) {
      this.untilNanos = untilNanos;
      this.times = times;
      this.isProbed = isProbed;
      this.isLogged = isLogged;
    }
  }
}
