// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client.read.shared;

import java.util.concurrent.atomic.LongAdder;

/** Counts reads for a stream and for the whole JVM. */
public final class ReadCounters {
  private final ReadCounters whole;
  private final LongAdder[] counts = new LongAdder[ReadCount.values().length];

  /** Creates counters that also add to {@code whole} unless it is null. */
  public ReadCounters(ReadCounters whole) {
    this.whole = whole;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Adds to a count. */
  public void add(ReadCount what, long number) {
    counts[what.ordinal()].add(number);
    if (whole != null) {
      whole.add(what, number);
    }
  }

  /** Returns a count. */
  public long get(ReadCount what) {
    return counts[what.ordinal()].sum();
  }
}
