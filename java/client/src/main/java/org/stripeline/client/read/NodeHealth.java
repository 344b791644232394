// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * DataNodes that were late or refused of late: they are asked last until a period is over, which
 * doubles each time that they fail again. It is a preference only; where they are needed, they are
 * asked.
 */
final class NodeHealth {
  private static final int DOUBLINGS_MAX = 5;

  private final long periodNanos;
  private final Map<String, Suspicion> suspicions = new ConcurrentHashMap<>();

  NodeHealth(long periodMillis) {
    periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMillis);
  }

  boolean isSuspect(String node) {
    Suspicion suspicion = suspicions.get(node);
    return suspicion != null && System.nanoTime() - suspicion.untilNanos < 0;
  }

  void suspect(String node) {
    suspicions.compute(
        node,
        (name, old) -> {
          long now = System.nanoTime();
          if (old != null && now - old.untilNanos < 0) {
            return old;
          }
          int times = old == null ? 0 : Math.min(old.times + 1, DOUBLINGS_MAX);
          return new Suspicion(now + (periodNanos << times), times);
        });
  }

  void trust(String node) {
    if (!suspicions.isEmpty()) {
      suspicions.remove(node);
    }
  }

  private static final class Suspicion {
    final long untilNanos;
    final int times;

    Suspicion(long untilNanos, int times) {
      this.untilNanos = untilNanos;
      this.times = times;
    }
  }
}
